export { RolloutPage, type RolloutSearch } from "./RolloutPage";
