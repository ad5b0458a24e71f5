import { QueryClient } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changed, rollout, upgrade } from "@/testing/records";
import { json, serve } from "@/testing/server";
import { LiveCache } from "./live";
import { eventsQuery, freezeQuery, hostUpgradesQuery, rolloutQuery, rolloutsQuery } from "./queries";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function setUp() {
  const client = new QueryClient();
  client.setQueryData(rolloutsQuery.queryKey, { pages: [[rollout("r1"), rollout("r0")]], pageParams: [0] });
  client.setQueryData(hostUpgradesQuery("r1").queryKey, [upgrade("h01"), upgrade("h02")]);
  client.setQueryData(eventsQuery({ rollout: "r1" }).queryKey, []);
  return { client, live: new LiveCache(client) };
}

describe("LiveCache", () => {
  it("patches hosts at once and reads the rollout once for many events", async () => {
    const { client, live } = setUp();
    const sent = serve(() => json({ id: "r1", release: "2", inProgress: 2, hostCount: 2 }));
    live.apply([changed("h01", "InProgress")]);
    live.apply([changed("h02", "InProgress")]);
    expect(client.getQueryData(hostUpgradesQuery("r1").queryKey)?.map((row) => row.state)).toEqual([
      "InProgress",
      "InProgress",
    ]);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(sent.map(({ path }) => path)).toEqual(["/api/rollouts/r1"]);
    expect(client.getQueryData(rolloutQuery("r1").queryKey)?.inProgress).toBe(2);
    const listed = client.getQueryData(rolloutsQuery.queryKey)?.pages[0];
    expect(listed?.map((one) => one.inProgress)).toEqual([2, 0]);
  });

  it("appends milestones to the list of a rollout", () => {
    const { client, live } = setUp();
    const milestone = changed("h01", "Upgraded", { kind: "HostUpgraded" });
    live.apply([changed("h01", "Upgraded"), milestone]);
    expect(client.getQueryData(eventsQuery({ rollout: "r1" }).queryKey)).toEqual([milestone]);
  });

  it("says that the brake is old when the fleet was frozen or unfrozen", () => {
    const { client, live } = setUp();
    for (const kind of ["FleetFrozen", "FleetUnfrozen"]) {
      client.setQueryData(freezeQuery.queryKey, { frozen: false });
      live.apply([{ cursor: kind, at: 1, kind, data: {} }]);
      expect(client.getQueryState(freezeQuery.queryKey)?.isInvalidated).toBe(true);
    }
  });

  it("makes nothing up for rollouts that are not on the screen", () => {
    const { client, live } = setUp();
    live.apply([changed("h01", "InProgress", { rollout: "r9" })]);
    expect(client.getQueryData(hostUpgradesQuery("r9").queryKey)).toBeUndefined();
  });

  it("says that the list is old when a rollout was created", async () => {
    const { client, live } = setUp();
    serve(() => json({ id: "r2", release: "2" }));
    live.apply([changed("", "", { kind: "RolloutCreated", rollout: "r2" })]);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(client.getQueryState(rolloutsQuery.queryKey)?.isInvalidated).toBe(true);
  });
});
