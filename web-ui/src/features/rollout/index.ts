export { RolloutPage } from "./RolloutPage";
