import { HostUpgradeStateValues, type HostUpgrade, type HostUpgradeState, type Rollout } from "@/api/types.gen";

/** Hosts by state; they add up to the hosts of the rollout. */
export type Counts = Readonly<Record<HostUpgradeState, number>>;

/** What is good or under way comes first, as it is drawn. */
export const DRAWN: readonly HostUpgradeState[] = [
  "Upgraded",
  "Skipped",
  "InProgress",
  "Pending",
  "Reverted",
  "Quarantined",
  "Cancelled",
];

export const countsOfRollout = (rollout: Rollout): Counts => ({
  Pending: rollout.pending,
  InProgress: rollout.inProgress,
  Upgraded: rollout.upgraded,
  Skipped: rollout.skipped,
  Reverted: rollout.reverted,
  Quarantined: rollout.quarantined,
  Cancelled: rollout.cancelled,
});

export function countsOfHosts(rows: readonly Pick<HostUpgrade, "state">[]): Counts {
  const counts = Object.fromEntries(HostUpgradeStateValues.map((state) => [state, 0])) as Record<
    HostUpgradeState,
    number
  >;
  for (const { state } of rows) {
    // A state of a newer server is none of ours to count.
    if (state in counts) {
      counts[state] += 1;
    }
  }
  return counts;
}

export const total = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** Hosts that are on the release. */
export const done = (counts: Counts): number => counts.Upgraded + counts.Skipped;

/** Hosts that ended in a way somebody has to look at. One that people cancelled is neither that nor done. */
export const unwanted = (counts: Counts): number => counts.Reverted + counts.Quarantined;
