export { FILTERS } from "./model";
export { RolloutsPage, type RolloutsSearch } from "./RolloutsPage";
