import { describe, expect, it } from "vitest";
import { rollout, upgrade } from "@/testing/records";
import { countsOfHosts, countsOfRollout, done, total, unwanted } from "./counts";
import { ago, absolute, duration } from "./time";

describe("counts", () => {
  it("of hosts and of the server agree and add up", () => {
    const rows = [upgrade("a", { state: "Upgraded" }), upgrade("b"), upgrade("c", { state: "Quarantined" })];
    const counts = countsOfHosts(rows);
    expect(counts).toEqual(countsOfRollout(rollout("r1", { upgraded: 1, pending: 1, quarantined: 1 })));
    expect([total(counts), done(counts), unwanted(counts)]).toEqual([3, 1, 1]);
  });

  it("of an aborted rollout has each host once", () => {
    const counts = countsOfRollout(rollout("r1", { upgraded: 2, skipped: 1, reverted: 1, cancelled: 6 }));
    expect([total(counts), done(counts), unwanted(counts), counts.Cancelled]).toEqual([10, 3, 1, 6]);
  });
});

describe("times", () => {
  it.each([
    [0, "0 s"],
    [59_400, "59 s"],
    [61_000, "1 min 1 s"],
    [3_600_000, "1 h"],
    [90_061_000, "1 d 1 h"],
    [-5, "0 s"],
  ])("%i ms take %s", (millis, said) => {
    expect(duration(millis)).toBe(said);
  });

  it("says how long ago in one unit", () => {
    expect([3_000, 45_000, 125_000, 7_300_000, 180_000_000].map((past) => ago(0, past))).toEqual([
      "just now",
      "45 s ago",
      "2 min ago",
      "2 h ago",
      "2 d ago",
    ]);
  });

  it("names the zone of a moment", () => {
    const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: "short" })
      .formatToParts(0)
      .find(({ type }) => type === "timeZoneName")?.value;
    expect(absolute(0)).toContain(zone);
  });
});
