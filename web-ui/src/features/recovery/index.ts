export { RecoveryBanner } from "./RecoveryBanner";
