import type { FeedEvent } from "@/api/events";
import type { Host, HostUpgrade, Rollout } from "@/api/types.gen";

/** Records with what a test does not care about filled in. */
export const upgrade = (host: string, over: Partial<HostUpgrade> = {}): HostUpgrade => ({
  rollout: "r1",
  host,
  state: "Pending",
  reason: "",
  facts: {},
  ...over,
});

export const rollout = (id: string, over: Partial<Rollout> = {}): Rollout => ({
  id,
  release: "2",
  mode: "PackageUpdate",
  state: "Running",
  reason: "",
  requester: "sre",
  team: "sre",
  hostCount: 0,
  pending: 0,
  inProgress: 0,
  upgraded: 0,
  skipped: 0,
  reverted: 0,
  quarantined: 0,
  cancelled: 0,
  createdAt: 1_000,
  priority: "Normal",
  changeTicket: "",
  selector: "",
  stateBy: "",
  stateReason: "",
  canaries: [],
  ...over,
});

export const host = (name: string, zones: Readonly<Record<string, string>>, over: Partial<Host> = {}): Host => ({
  name,
  address: "192.0.2.1",
  scheduler: "static",
  hardwareClass: "default",
  labels: {},
  source: "static",
  observedAt: 1_000,
  instances: Object.entries(zones).map(([application, zone]) => ({
    id: `${application}@${name}`,
    application,
    host: name,
    zone,
    health: "Healthy",
    detail: "",
    observedAt: 1_000,
    mark: 1,
  })),
  ...over,
});

let cursor = 0;

export const changed = (host: string, state: string, over: Partial<FeedEvent> = {}): FeedEvent => ({
  cursor: String(++cursor),
  at: 5_000,
  kind: "HostUpgradeChanged",
  rollout: "r1",
  host,
  data: { state, step: "Drain", reason: "" },
  ...over,
});
