import type { Rollout } from "@/api/types.gen";
import { countsOfRollout, unwanted } from "@/shared/counts";

export const FILTERS = ["all", "running", "attention", "ended"] as const;
export type Filter = (typeof FILTERS)[number];

export const FILTER_WORDS: Readonly<Record<Filter, string>> = {
  all: "All",
  running: "Under way",
  attention: "Needs attention",
  ended: "Ended",
};

/** Whether somebody has to look: hosts that ended in an unwanted way. */
export const needsAttention = (rollout: Rollout): boolean => unwanted(countsOfRollout(rollout)) > 0;

export function matches(rollout: Rollout, filter: Filter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "running":
      return rollout.endedAt === undefined;
    case "attention":
      return needsAttention(rollout);
    case "ended":
      return rollout.endedAt !== undefined;
  }
}

/** Whether every word of the text is somewhere in what the list shows of the rollout. */
export function mentions(rollout: Rollout, text: string): boolean {
  const shown = [rollout.id, rollout.release, rollout.reason, rollout.requester, rollout.team, rollout.state]
    .join(" ")
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

export const listed = (rollouts: readonly Rollout[], filter: Filter, text: string): readonly Rollout[] =>
  rollouts.filter((rollout) => matches(rollout, filter) && mentions(rollout, text));
