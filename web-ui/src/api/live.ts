import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import { appended, eventLog, FINAL, isIn, patchHostUpgrades, type EventScope, type FeedEvent } from "./events";
import {
  decisionsQuery,
  eventsQuery,
  freezeQuery,
  hostUpgradesQuery,
  recoveryQuery,
  rolloutQuery,
  rolloutsQuery,
} from "./queries";
import type { HostUpgradeState, Rollout } from "./types.gen";

/** At most one read of what events only hint at in this time. */
const READ_MILLIS = 1_000;
/** Rows of many hosts are long: facts of hosts that ended may come a little later. */
const ROWS_MILLIS = 4_000;

/** Brings the cache up to what the stream tells: by patching where the event says it all, by reading where not. */
export class LiveCache {
  private readonly due = new Map<string, number>();
  private readonly cache: QueryClient;

  constructor(cache: QueryClient) {
    this.cache = cache;
  }

  apply(events: readonly FeedEvent[]): void {
    eventLog.push(events);
    for (const rollout of new Set(events.flatMap((event) => event.rollout ?? []))) {
      const its = events.filter((event) => event.rollout === rollout);
      this.cache.setQueryData(hostUpgradesQuery(rollout).queryKey, (rows) => rows && patchHostUpgrades(rows, its));
      this.soon(`rollout ${rollout}`, READ_MILLIS, () => this.readRollout(rollout));
      if (its.some(endsHost)) {
        this.soon(`rows ${rollout}`, ROWS_MILLIS, () =>
          this.cache.invalidateQueries({ queryKey: hostUpgradesQuery(rollout).queryKey }),
        );
      }
    }
    if (events.some((event) => event.kind === "RolloutCreated")) {
      this.soon("rollouts", READ_MILLIS, () => this.cache.invalidateQueries({ queryKey: rolloutsQuery.queryKey }));
    }
    if (events.some(changesDecisions)) {
      this.soon("decisions", READ_MILLIS, () => this.cache.invalidateQueries({ queryKey: decisionsQuery.queryKey }));
    }
    if (events.some((event) => event.kind === "FleetFrozen" || event.kind === "FleetUnfrozen")) {
      void this.cache.invalidateQueries({ queryKey: freezeQuery.queryKey });
    }
    if (events.some((event) => event.kind === "RecoveryStarted" || event.kind === "RecoveryEnded")) {
      void this.cache.invalidateQueries({ queryKey: recoveryQuery.queryKey });
    }
    for (const { queryKey } of this.cache.getQueryCache().findAll({ queryKey: ["events"] })) {
      const scope = queryKey[1] as EventScope;
      const its = events.filter((event) => isIn(scope, event));
      this.cache.setQueryData(eventsQuery(scope).queryKey, (sofar) => sofar && appended(sofar, its));
    }
    for (const host of new Set(events.flatMap((event) => event.host ?? []))) {
      void this.cache.invalidateQueries({ queryKey: ["host", host] });
    }
  }

  /** Everything on the screen anew: something may have been missed. */
  refresh(): void {
    void this.cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "principal" });
  }

  close(): void {
    this.due.forEach((timer) => {
      window.clearTimeout(timer);
    });
    this.due.clear();
  }

  /** Runs it once after a while, however often it is asked for meanwhile. */
  private soon(name: string, millis: number, run: () => Promise<unknown>): void {
    if (!this.due.has(name)) {
      this.due.set(
        name,
        window.setTimeout(() => {
          this.due.delete(name);
          void run();
        }, millis),
      );
    }
  }

  private async readRollout(id: string): Promise<void> {
    const listed = this.cache.getQueryData(rolloutsQuery.queryKey);
    if (!this.cache.getQueryData(rolloutQuery(id).queryKey) && !listed) {
      return;
    }
    // Failures are no matter here: what is on the screen is read again when the server is back.
    const rollout = await this.cache.query({ ...rolloutQuery(id), staleTime: 0, retry: false }).catch(() => null);
    if (rollout) {
      this.cache.setQueryData(rolloutsQuery.queryKey, (pages) => pages && replaced(pages, rollout));
    }
  }
}

/** A question is over as well once its batch goes back, or its remediation or rollout ends. */
const DECISION_KINDS = new Set([
  "DecisionAsked",
  "DecisionProposed",
  "DecisionAnswered",
  "BatchTurnedBack",
  "RemediationEnded",
  "RolloutChanged",
  "HostQuarantined",
]);

const changesDecisions = (event: FeedEvent): boolean => DECISION_KINDS.has(event.kind);

const endsHost = (event: FeedEvent): boolean =>
  event.kind === "HostUpgradeChanged" && FINAL.has(event.data.state as HostUpgradeState);

/** The pages with one rollout as it is now. */
export function replaced(pages: InfiniteData<readonly Rollout[]>, rollout: Rollout): InfiniteData<readonly Rollout[]> {
  return {
    ...pages,
    pages: pages.pages.map((page) =>
      page.some(({ id }) => id === rollout.id) ? page.map((one) => (one.id === rollout.id ? rollout : one)) : page,
    ),
  };
}
