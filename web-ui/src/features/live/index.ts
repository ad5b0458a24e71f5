export { LiveBadge } from "./LiveBadge";
export { LiveProvider, useRefetchInterval } from "./LiveProvider";
