import { describe, expect, it } from "vitest";
import { changed, upgrade } from "@/testing/records";
import { appended, EventLog, isIn, parseEvent, patchHostUpgrades } from "./events";

describe("patchHostUpgrades", () => {
  const rows = [upgrade("h01"), upgrade("h02"), upgrade("h03")];

  it("changes the row of the host and leaves the others the same objects", () => {
    const patched = patchHostUpgrades(rows, [changed("h02", "InProgress")]);
    expect(patched[1]).toEqual({ ...rows[1], state: "InProgress", step: "Drain", startedAt: 5_000 });
    expect(patched[0]).toBe(rows[0]);
    expect(patched[2]).toBe(rows[2]);
  });

  it("answers the same array when no event concerns it", () => {
    expect(patchHostUpgrades(rows, [])).toBe(rows);
    expect(patchHostUpgrades(rows, [changed("h09", "InProgress")])).toBe(rows);
    expect(patchHostUpgrades(rows, [changed("h01", "InProgress", { rollout: "r2" })])).toBe(rows);
    expect(patchHostUpgrades(rows, [changed("h01", "InProgress", { kind: "JobDone" })])).toBe(rows);
  });

  it("applies several events of a host in their order", () => {
    const events = [
      changed("h01", "InProgress", { at: 5_000 }),
      changed("h01", "Upgraded", { at: 9_000, data: { state: "Upgraded", step: "End", reason: "done" } }),
    ];
    expect(patchHostUpgrades(rows, events)[0]).toEqual({
      ...rows[0],
      state: "Upgraded",
      step: "End",
      reason: "done",
      startedAt: 5_000,
      endedAt: 9_000,
    });
    // The control: the other way round it ends otherwise, so the order matters.
    expect(patchHostUpgrades(rows, [...events].reverse())[0]?.state).toBe("InProgress");
  });

  it("keeps what an event of a newer server does not say in words we know", () => {
    const patched = patchHostUpgrades(rows, [changed("h01", "Levitating", { data: { state: "Levitating" } })]);
    expect(patched[0]?.state).toBe("Pending");
  });
});

describe("EventLog", () => {
  it("answers what came after a mark, also when old events were dropped", () => {
    const log = new EventLog();
    log.push([changed("h01", "InProgress")]);
    const mark = log.mark();
    const later = [changed("h02", "InProgress"), changed("h03", "InProgress")];
    log.push(later);
    expect(log.since(mark)).toEqual(later);
    const many = Array.from({ length: 6_000 }, () => changed("h01", "InProgress"));
    log.push(many);
    expect(log.since(log.mark())).toEqual([]);
    expect(log.since(mark)).toHaveLength(5_000);
  });
});

describe("parseEvent", () => {
  it("reads an event and the JSON text in it", () => {
    const text = JSON.stringify({
      cursor: "7",
      at: 5,
      kind: "RolloutEnded",
      rollout: "r1",
      data: '{"state":"Succeeded"}',
    });
    expect(parseEvent(text)).toEqual({
      cursor: "7",
      at: 5,
      kind: "RolloutEnded",
      rollout: "r1",
      data: { state: "Succeeded" },
    });
  });

  it.each(["", "no json", "[]", "null", "{}", '{"cursor": 7, "kind": "x"}'])("answers null for %s", (text) => {
    expect(parseEvent(text)).toBeNull();
  });

  it("takes particulars that are no object as none", () => {
    expect(parseEvent('{"cursor":"1","kind":"x","data":"[1]"}')?.data).toEqual({});
  });
});

describe("lists of events", () => {
  it("have each event once, though an answer and the stream both had it", () => {
    const events = [changed("h01", "InProgress"), changed("h01", "Upgraded")];
    expect(appended(events, events.slice(1))).toBe(events);
    expect(appended(events.slice(0, 1), events)).toEqual(events);
  });

  it("show everything of a host, but only milestones of a rollout", () => {
    const step = changed("h01", "InProgress");
    expect(isIn({ rollout: "r1", host: "h01" }, step)).toBe(true);
    expect(isIn({ rollout: "r1" }, step)).toBe(false);
    expect(isIn({ rollout: "r1" }, { ...step, kind: "HostUpgraded" })).toBe(true);
    expect(isIn({ rollout: "r2" }, { ...step, kind: "HostUpgraded" })).toBe(false);
  });
});
