export { DecisionCount } from "./DecisionCount";
export { DecisionsPage } from "./DecisionsPage";
export { HostDecisions } from "./HostDecisions";
