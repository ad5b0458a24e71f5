import type { HostUpgrade, HostUpgradeState } from "@/api/types.gen";

/** Hosts of one state for one reason: failures and waits by their signature. */
export interface ReasonGroup {
  readonly state: HostUpgradeState;
  readonly reason: string;
  readonly hosts: readonly string[];
}

/** What somebody has to look at comes before what only waits. */
const ORDER: readonly HostUpgradeState[] = ["Quarantined", "Reverted", "Cancelled", "InProgress", "Pending", "Skipped"];

/** The reasons of all hosts that have one, alike ones together, the most important and most frequent first. */
export function reasonGroups(rows: readonly HostUpgrade[]): readonly ReasonGroup[] {
  const groups = new Map<string, { state: HostUpgradeState; reason: string; hosts: string[] }>();
  for (const { state, reason, host } of rows) {
    if (reason !== "" && ORDER.includes(state)) {
      const key = `${state} ${signature(reason, host)}`;
      const group = groups.get(key) ?? { state, reason: signature(reason, host), hosts: [] };
      group.hosts.push(host);
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .map((group) => (group.hosts.length === 1 ? withHost(group) : group))
    .sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.hosts.length - a.hosts.length);
}

const THIS_HOST = "this host";

/** Two hosts that failed alike say so in the same words but for their names. */
const signature = (reason: string, host: string): string =>
  reason.replace(new RegExp(`(?<![\\w.-])${escaped(host)}(?![\\w-])`, "g"), THIS_HOST);

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const withHost = (group: ReasonGroup): ReasonGroup => ({
  ...group,
  reason: group.reason.replaceAll(THIS_HOST, group.hosts[0] ?? THIS_HOST),
});

/** What stands between the reasons of one text, that which lasts longest first; the server's `Verdict.ALSO`. */
const ALSO = "; also ";

/** All reasons of a text. */
export const eachReason = (reason: string): readonly string[] => reason.split(ALSO);
