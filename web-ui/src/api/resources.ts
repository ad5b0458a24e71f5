import { eventOf, MILESTONES, type EventScope, type FeedEvent } from "./events";
import { atom, list } from "./restUri";
import { read, send } from "./transport";
import {
  DecisionDefaults,
  HostDefaults,
  HostUpgradeDefaults,
  RolloutDefaults,
  type Decision,
  type DecisionOption,
  type DecisionWire,
  type Freeze,
  type FreezeRequest,
  type Host,
  type HostUpgrade,
  type HostUpgradeWire,
  type HostWire,
  type Principal,
  type Recovery,
  type Release,
  type Rollout,
  type RolloutPlan,
  type RolloutRequest,
  type RolloutWire,
} from "./types.gen";
import { Problem } from "./problem";

/** The server's largest page. */
const PAGE = 1_000;
const PAGES_MAX = 100;
/** Keeps the URL of a batch far below what servers take. */
const KEYS_PER_CALL = 100;

interface Collection<T> {
  readonly elements: readonly T[];
}

interface Batch<T> {
  readonly results: Readonly<Record<string, T>>;
}

const rolloutOf = (wire: RolloutWire): Rollout => ({ ...RolloutDefaults, ...wire });
const hostOf = (wire: HostWire): Host => ({ ...HostDefaults, ...wire });
const hostUpgradeOf = (wire: HostUpgradeWire): HostUpgrade => ({ ...HostUpgradeDefaults, ...wire });

export const fetchPrincipal = (token: string, signal?: AbortSignal): Promise<Principal> =>
  read<Principal>("principal", { token, signal });

export async function fetchRollouts(start: number, count: number, signal?: AbortSignal): Promise<readonly Rollout[]> {
  const page = await read<Collection<RolloutWire>>(`rollouts?start=${String(start)}&count=${String(count)}`, {
    signal,
  });
  return page.elements.map(rolloutOf);
}

export async function fetchRollout(id: string, signal?: AbortSignal): Promise<Rollout> {
  return rolloutOf(await read<RolloutWire>(`rollouts/${atom(id)}`, { signal }));
}

/** All hosts of a rollout, in the order submitted. */
export async function fetchHostUpgrades(rollout: string, signal?: AbortSignal): Promise<readonly HostUpgrade[]> {
  const path = `hostUpgrades?q=rollout&rollout=${atom(rollout)}&`;
  return (await everyPage<HostUpgradeWire>(path, signal)).map(hostUpgradeOf);
}

/** The hosts of these names that exist. */
export async function fetchHosts(names: readonly string[], signal?: AbortSignal): Promise<readonly Host[]> {
  const found: Host[] = [];
  for (let i = 0; i < names.length; i += KEYS_PER_CALL) {
    const some = names.slice(i, i + KEYS_PER_CALL);
    const batch = await read<Batch<HostWire>>(`hosts?ids=${list(some)}`, { signal });
    found.push(...Object.values(batch.results).map(hostOf));
  }
  return found;
}

export async function fetchHost(name: string, signal?: AbortSignal): Promise<Host> {
  return hostOf(await read<HostWire>(`hosts/${atom(name)}`, { signal }));
}

/** The catalogue, newest first. */
export const fetchReleases = (signal?: AbortSignal): Promise<readonly Release[]> =>
  everyPage<Release>("releases?", signal);

/** The hosts a submission would take now, in the order in which they would begin; nothing is written. */
export async function fetchPlanned(request: RolloutRequest, signal?: AbortSignal): Promise<readonly string[]> {
  const body = { request };
  const { value } = await read<{ readonly value: RolloutPlan }>("rollouts?action=plan", {
    method: "POST",
    body,
    signal,
  });
  return [...value.steps, ...value.waiting, ...value.infeasible].flatMap(({ hosts }) => hosts);
}

/** Starts a rollout and answers its id; safe to repeat, since the request carries an id of its own. */
export async function startRollout(request: RolloutRequest & { readonly requestId: string }): Promise<string> {
  const answer = await send("rollouts", { method: "POST", body: request });
  const id = answer.headers.get("X-RestLi-Id");
  if (id === null || id === "") {
    throw new Problem(answer.status, "BAD_ANSWER", "The server's answer names no rollout.");
  }
  return id;
}

/** What people may ask of a rollout under way; asking again changes nothing. */
export type RolloutCommand = "pause" | "resume" | "abort";

export async function commandRollout(id: string, command: RolloutCommand, reason: string): Promise<void> {
  await send(`rollouts/${atom(id)}?action=${command}`, { method: "POST", body: { reason } });
}

/** A rollout that brings a quarantined host back; asking again while it does so changes nothing. */
export async function returnHost(host: string, reason: string): Promise<void> {
  await send("hostOperations?action=return", { method: "POST", body: { host, reason } });
}

/** No budget and no zone waits for the host any more. */
export async function writeOffHost(host: string, reason: string): Promise<void> {
  await send("hostOperations?action=writeOff", { method: "POST", body: { host, reason } });
}

/** The host is expected back after all. */
export async function undoWriteOff(host: string, reason: string): Promise<void> {
  await send("hostOperations?action=undoWriteOff", { method: "POST", body: { host, reason } });
}

/** What waits for an answer of people, newest first. */
export async function fetchOpenDecisions(signal?: AbortSignal): Promise<readonly Decision[]> {
  const wires = await everyPage<DecisionWire>("decisions?open=true&", signal);
  return wires.map((wire) => ({ ...DecisionDefaults, ...wire }));
}

/** Answers a decision; the same answer of the same person again changes nothing. */
export async function answerDecision(id: string, option: DecisionOption, reason: string): Promise<void> {
  await send(`decisions/${atom(id)}?action=answer`, { method: "POST", body: { option, reason } });
}

/** Whether nobody is granted a host, and by whom and why. */
export const fetchFreeze = (signal?: AbortSignal): Promise<Freeze> => read<Freeze>("freeze", { signal });

/** Whether a store that was restored is being recovered. */
export const fetchRecovery = (signal?: AbortSignal): Promise<Recovery> => read<Recovery>("recovery", { signal });

/** Stops all grants; none is made any more once this is answered. */
export async function freeze(reason: string): Promise<void> {
  await send("freeze", { method: "PUT", body: { reason } satisfies FreezeRequest });
}

/** Lets grants go on that the freeze of that time stopped; another one stays, which is a conflict. */
export async function unfreeze(since: number, reason: string): Promise<void> {
  await send(`freeze?reason=${atom(reason)}&since=${String(since)}`, { method: "DELETE" });
}

/** The server's largest page of events, and how many of them one list reads. */
const EVENTS_PAGE = 1_000;
const EVENTS_PAGES_MAX = 20;

/** What happened so far, oldest first. */
export async function fetchEvents(scope: EventScope, signal?: AbortSignal): Promise<readonly FeedEvent[]> {
  const only = scope.host === undefined ? `&kinds=${list(MILESTONES)}` : `&host=${atom(scope.host)}`;
  const events: FeedEvent[] = [];
  let cursor = "0";
  for (let page = 0; page < EVENTS_PAGES_MAX; page++) {
    const path = `events?q=after&rollout=${atom(scope.rollout)}${only}&count=${String(EVENTS_PAGE)}&cursor=${cursor}`;
    const answer = await read<EventsPage>(path, { signal });
    events.push(...answer.elements.flatMap((wire) => eventOf(wire) ?? []));
    if (answer.elements.length < EVENTS_PAGE || answer.metadata === undefined) {
      break;
    }
    cursor = answer.metadata.cursor;
  }
  return events;
}

interface EventsPage extends Collection<Readonly<Record<string, unknown>>> {
  readonly metadata?: { readonly cursor: string };
}

async function everyPage<T>(path: string, signal?: AbortSignal): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 0; page < PAGES_MAX; page++) {
    const { elements } = await read<Collection<T>>(`${path}start=${String(page * PAGE)}&count=${String(PAGE)}`, {
      signal,
    });
    all.push(...elements);
    if (elements.length < PAGE) {
      break;
    }
  }
  return all;
}
