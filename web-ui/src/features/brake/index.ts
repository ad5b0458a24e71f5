export { BrakeBanner } from "./BrakeBanner";
export { FreezeButton } from "./FreezeButton";
