import { HostUpgradeStateValues, type HostUpgrade, type HostUpgradeState } from "./types.gen";

/** One thing that happened, as the feed tells it. */
export interface FeedEvent {
  readonly cursor: string;
  readonly at: number;
  readonly kind: string;
  readonly rollout?: string;
  readonly host?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a whole rollout is told by: the other kinds are steps of one host. */
export const MILESTONES: readonly string[] = [
  "RolloutCreated",
  "RolloutChanged",
  "RolloutHostsAdded",
  "RolloutHostsRemoved",
  "RolloutEnded",
  "BatchGranted",
  "BatchVoided",
  "BatchTurnedBack",
  "BatchReclaimed",
  "HostUpgraded",
  "HostSkipped",
  "HostRequeued",
  "HostReverted",
  "HostCancelled",
  "HostQuarantined",
];

/** Which events a list shows: those of one host, or the milestones of a rollout. */
export interface EventScope {
  readonly rollout: string;
  readonly host?: string;
}

export const isIn = (scope: EventScope, event: FeedEvent): boolean =>
  event.rollout === scope.rollout &&
  (scope.host === undefined ? MILESTONES.includes(event.kind) : event.host === scope.host);

/** The events with later ones, each once: an answer and the stream may both have one. */
export function appended(events: readonly FeedEvent[], later: readonly FeedEvent[]): readonly FeedEvent[] {
  const known = new Set(events.map((event) => event.cursor));
  const fresh = later.filter((event) => !known.has(event.cursor));
  return fresh.length === 0 ? events : [...events, ...fresh];
}

/** The event of its JSON; null for what is none, which a newer server may send. */
export function parseEvent(text: string): FeedEvent | null {
  const wire = object(text);
  return wire === null ? null : eventOf(wire);
}

export function eventOf(wire: Readonly<Record<string, unknown>>): FeedEvent | null {
  if (typeof wire.cursor !== "string" || typeof wire.kind !== "string") {
    return null;
  }
  return {
    cursor: wire.cursor,
    at: typeof wire.at === "number" ? wire.at : 0,
    kind: wire.kind,
    ...(typeof wire.rollout === "string" ? { rollout: wire.rollout } : {}),
    ...(typeof wire.host === "string" ? { host: wire.host } : {}),
    data: (typeof wire.data === "string" ? object(wire.data) : null) ?? {},
  };
}

function object(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

/** Nothing follows these. */
export const FINAL: ReadonlySet<HostUpgradeState> = new Set([
  "Upgraded",
  "Skipped",
  "Reverted",
  "Quarantined",
  "Cancelled",
]);

/**
 * The rows after the events, in their order. Rows nothing happened to stay the same objects, and so does the array
 * when no event concerns it: components of unchanged hosts are not drawn again.
 */
export function patchHostUpgrades(rows: readonly HostUpgrade[], events: readonly FeedEvent[]): readonly HostUpgrade[] {
  const byHost = new Map<string, FeedEvent[]>();
  for (const event of events) {
    if (event.kind === "HostUpgradeChanged" && event.host !== undefined) {
      byHost.set(event.host, [...(byHost.get(event.host) ?? []), event]);
    }
  }
  if (!rows.some((row) => byHost.get(row.host)?.some((event) => event.rollout === row.rollout))) {
    return rows;
  }
  return rows.map((row) =>
    (byHost.get(row.host) ?? []).filter((event) => event.rollout === row.rollout).reduce(patch, row),
  );
}

function patch(row: HostUpgrade, { at, data }: FeedEvent): HostUpgrade {
  const state = HostUpgradeStateValues.find((known) => known === data.state) ?? row.state;
  const step = typeof data.step === "string" && data.step !== "" ? data.step : row.step;
  const grant = typeof data.grant === "string" ? data.grant : row.grant;
  const startedAt = row.startedAt ?? (state === "Pending" ? undefined : at);
  const endedAt = row.endedAt ?? (FINAL.has(state) ? at : undefined);
  return {
    ...row,
    state,
    reason: typeof data.reason === "string" ? data.reason : row.reason,
    ...(step === undefined ? {} : { step }),
    ...(grant === undefined ? {} : { grant }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
}

const KEPT = 5_000;

/**
 * The events of the last while, so that an answer that was under way when they came can be brought up to them: an
 * answer is older than what the stream told meanwhile.
 */
export class EventLog {
  private readonly kept: FeedEvent[] = [];
  private dropped = 0;

  push(events: readonly FeedEvent[]): void {
    this.kept.push(...events);
    const many = this.kept.length - KEPT;
    if (many > 0) {
      this.kept.splice(0, many);
      this.dropped += many;
    }
  }

  /** The place after the newest event. */
  mark(): number {
    return this.dropped + this.kept.length;
  }

  since(mark: number): readonly FeedEvent[] {
    return this.kept.slice(Math.max(0, mark - this.dropped));
  }
}

export const eventLog = new EventLog();
