import { describe, expect, it } from "vitest";
import type { Lock } from "@/api/types.gen";
import { absolute } from "@/shared/time";
import { changed, host, upgrade } from "@/testing/records";
import { eventWords } from "./eventWords";
import { pairedFacts } from "./facts";
import { lockWords } from "./lockWords";
import { nextCell } from "./moves";
import { reasonGroups } from "./reasons";
import { stepStates } from "./steps";
import { applicationsOf, zones, zonesOfHosts } from "./zones";

describe("zones", () => {
  const hosts = [host("h1", { web: "z10", ads: "a" }), host("h2", { web: "z2" }), host("h3", { ads: "a" })];

  it("are those of one application, in natural order, hosts without one last", () => {
    const rows = ["h1", "h2", "h3", "h4"].map((name) => upgrade(name));
    const named = (application: string) =>
      zones(rows, zonesOfHosts(hosts, application)).map(({ name, rows: its }) => [name, its.map((row) => row.host)]);
    expect(named("web")).toEqual([
      ["a", ["h3"]],
      ["z2", ["h2"]],
      ["z10", ["h1"]],
      ["no zone", ["h4"]],
    ]);
    expect(named("ads")).toEqual([
      ["a", ["h1", "h3"]],
      ["z2", ["h2"]],
      ["no zone", ["h4"]],
    ]);
  });

  it("begin with the most widespread application and leave out what vanished", () => {
    const gone = host("h5", { old: "z" });
    const vanished = { ...gone, instances: gone.instances.map((instance) => ({ ...instance, vanishedAt: 1 })) };
    expect(applicationsOf([...hosts, host("h4", { web: "z2" }), vanished])).toEqual(["web", "ads"]);
  });
});

describe("reasons", () => {
  it("puts alike ones together, whatever the host's name, and the worst first", () => {
    const groups = reasonGroups([
      upgrade("h01", { reason: "web can spare no host" }),
      upgrade("h02", { reason: "web can spare no host" }),
      upgrade("h03", { state: "Quarantined", reason: "h03 did not boot" }),
      upgrade("h04", { state: "Quarantined", reason: "h04 did not boot" }),
      upgrade("h05", { state: "Reverted", reason: "h05: no space left" }),
      upgrade("h06", { state: "Upgraded", reason: "fine" }),
    ]);
    expect(groups).toEqual([
      { state: "Quarantined", reason: "this host did not boot", hosts: ["h03", "h04"] },
      { state: "Reverted", reason: "h05: no space left", hosts: ["h05"] },
      { state: "Pending", reason: "web can spare no host", hosts: ["h01", "h02"] },
    ]);
  });
});

describe("a lock", () => {
  const held: Lock = {
    id: "t1",
    kind: "Session",
    state: "Held",
    hosts: ["h1"],
    applications: [],
    holder: "kernel",
    reason: "disk",
    stage: "",
    explanation: "",
    alive: true,
    advisory: false,
  };

  it("tells who has the host, and until when others wait for a client that is gone", () => {
    expect(lockWords(held)).toBe("held by kernel: disk");
    expect(lockWords({ ...held, alive: false, excludesUntil: 5_000 })).toBe(
      `held by kernel: disk; its client is gone, and it excludes others until about ${absolute(5_000)}`,
    );
    expect(lockWords({ ...held, alive: false })).toBe(
      "held by kernel: disk; its client is gone, and it excludes others",
    );
    expect(lockWords({ ...held, alive: false, state: "Lapsed" })).toBe("lapsed lock of kernel: disk");
  });
});

describe("facts", () => {
  it("pairs before and after, what changed first", () => {
    expect(pairedFacts({ kernelBefore: "6.1", kernel: "6.2", changed: "true", osBefore: "12", osAfter: "12" })).toEqual(
      [
        { name: "kernel", before: "6.1", after: "6.2", changed: true },
        { name: "changed", value: "true", changed: false },
        { name: "os", before: "12", after: "12", changed: false },
      ],
    );
  });
});

describe("steps", () => {
  const states = (over: Parameters<typeof upgrade>[1]) =>
    stepStates(upgrade("h", over)).map(({ state }) => state.at(0));

  it("say what is done, under way, stopped and ahead", () => {
    expect(states({}).join("")).toBe("aaaaaaaa");
    expect(states({ state: "InProgress", step: "Drain" }).join("")).toBe("dddnaaaa");
    const asks = "too slow; drydock decision answer g1.1";
    expect(states({ state: "InProgress", step: "Drain", reason: asks }).join("")).toBe("dddwaaaa");
    expect(states({ state: "Quarantined", step: "Update" }).join("")).toBe("ddddsaaa");
    expect(states({ state: "Upgraded", step: "Recover" }).join("")).toBe("dddddddd");
  });
});

describe("moves", () => {
  // Two lines of three.
  const cells = [0, 1, 2, 3, 4, 5].map((place) => ({ left: (place % 3) * 100, top: place < 3 ? 0 : 50, width: 90 }));

  it.each([
    ["ArrowRight", 0, 1],
    ["ArrowRight", 5, undefined],
    ["ArrowLeft", 0, undefined],
    ["ArrowDown", 1, 4],
    ["ArrowUp", 5, 2],
    ["ArrowUp", 1, undefined],
    ["Home", 4, 0],
    ["End", 0, 5],
    ["a", 0, undefined],
  ])("%s leads from %i to %s", (key, from, to) => {
    expect(nextCell(cells, from, key)).toBe(to);
  });
});

describe("words of events", () => {
  it("know the kinds of the feed and show those of a newer server by name", () => {
    const event = changed("h01", "x");
    expect(
      eventWords({ ...event, kind: "JobClaimed", data: { job: "g1.Drain.h01.1", consumer: "static-1" } }).text,
    ).toBe("Drain runs at static-1");
    expect(eventWords({ ...event, kind: "BatchGranted", data: { hosts: ["h01", "h02"] } }).text).toBe(
      "h01, h02 may go down",
    );
    expect(eventWords({ ...event, kind: "Novelty", data: { reason: "because" } })).toMatchObject({
      text: "Novelty",
      reason: "because",
    });
  });
});
