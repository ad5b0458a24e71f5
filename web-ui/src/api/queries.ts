import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { appended, eventLog, isIn, patchHostUpgrades, type EventScope } from "./events";
import {
  fetchEvents,
  fetchFreeze,
  fetchHost,
  fetchHosts,
  fetchHostUpgrades,
  fetchOpenDecisions,
  fetchRecovery,
  fetchReleases,
  fetchRollout,
  fetchRollouts,
} from "./resources";

export const ROLLOUTS_PER_PAGE = 100;

/** All rollouts, newest first, page by page. */
export const rolloutsQuery = infiniteQueryOptions({
  queryKey: ["rollouts"],
  queryFn: ({ pageParam, signal }) => fetchRollouts(pageParam, ROLLOUTS_PER_PAGE, signal),
  initialPageParam: 0,
  getNextPageParam: (last, pages) => (last.length < ROLLOUTS_PER_PAGE ? undefined : pages.length * ROLLOUTS_PER_PAGE),
});

export const rolloutQuery = (id: string) =>
  queryOptions({ queryKey: ["rollout", id], queryFn: ({ signal }) => fetchRollout(id, signal) });

/** The hosts of a rollout, with what the stream told while the answer was under way. */
export const hostUpgradesQuery = (rollout: string) =>
  queryOptions({
    queryKey: ["hostUpgrades", rollout],
    queryFn: async ({ signal }) => {
      const mark = eventLog.mark();
      const rows = await fetchHostUpgrades(rollout, signal);
      return patchHostUpgrades(rows, eventLog.since(mark));
    },
  });

/** Zones and applications of the hosts of a rollout; they hardly change, so they are not read again by themselves. */
export const hostsOfRolloutQuery = (rollout: string, names: readonly string[] | undefined) =>
  queryOptions({
    // Hosts may join while it runs.
    queryKey: ["hosts", rollout, names?.length],
    queryFn: ({ signal }) => fetchHosts(names ?? [], signal),
    enabled: names !== undefined,
    staleTime: Infinity,
  });

/** What happened so far, with what the stream told while the answer was under way. */
export const eventsQuery = (scope: EventScope) =>
  queryOptions({
    queryKey: ["events", scope],
    queryFn: async ({ signal }) => {
      const mark = eventLog.mark();
      const events = await fetchEvents(scope, signal);
      return appended(
        events,
        eventLog.since(mark).filter((event) => isIn(scope, event)),
      );
    },
  });

export const hostQuery = (name: string) =>
  queryOptions({ queryKey: ["host", name], queryFn: ({ signal }) => fetchHost(name, signal) });

export const recoveryQuery = queryOptions({ queryKey: ["recovery"], queryFn: ({ signal }) => fetchRecovery(signal) });

/** What waits for an answer of people. */
export const decisionsQuery = queryOptions({
  queryKey: ["decisions"],
  queryFn: ({ signal }) => fetchOpenDecisions(signal),
});

export const freezeQuery = queryOptions({ queryKey: ["freeze"], queryFn: ({ signal }) => fetchFreeze(signal) });

export const releasesQuery = queryOptions({
  queryKey: ["releases"],
  queryFn: ({ signal }) => fetchReleases(signal),
});
