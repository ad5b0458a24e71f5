import { describe, expect, it } from "vitest";
import { rollout } from "@/testing/records";
import { listed, type Filter } from "./model";

const ALL = [
  rollout("r1", { reason: "kernel fix" }),
  rollout("r2", { state: "Succeeded", endedAt: 2_000, release: "3" }),
  rollout("r3", { state: "Degraded", endedAt: 2_000, quarantined: 1 }),
  rollout("r4", { state: "Paused", reverted: 2, team: "search" }),
];

const ids = (filter: Filter, text = ""): string[] => listed(ALL, filter, text).map(({ id }) => id);

describe("the list of rollouts", () => {
  it("shows what the filter says", () => {
    expect(ids("all")).toEqual(["r1", "r2", "r3", "r4"]);
    expect(ids("running")).toEqual(["r1", "r4"]);
    expect(ids("attention")).toEqual(["r3", "r4"]);
    expect(ids("ended")).toEqual(["r2", "r3"]);
  });

  it("finds every word, in any case and field", () => {
    expect(ids("all", "KERNEL")).toEqual(["r1"]);
    expect(ids("all", "search paused")).toEqual(["r4"]);
    expect(ids("all", "nothing")).toEqual([]);
  });
});
