import { describe, expect, it } from "vitest";
import { host } from "@/testing/records";
import { attemptOf, newRequestId, readKept, requestOf, writeKept } from "./draft";
import { parseHosts, placed } from "./hostsText";
import { previewOf } from "./preview";

describe("parseHosts", () => {
  it("reads what the command line reads: comments, blank lines, any line end", () => {
    expect(parseHosts("# all of z1\nh01\r\n\n  h02  # canary\rh03")).toEqual({
      entries: [
        { host: "h01", line: 2 },
        { host: "h02", line: 4 },
        { host: "h03", line: 5 },
      ],
      faults: [],
    });
  });

  it("finds every fault with its line", () => {
    expect(parseHosts("h01\nh 02\nh01\n-x\nh01").faults).toEqual([
      { line: 2, message: '"h 02" is no host name; write one name per line' },
      { line: 3, message: "h01 is listed twice, first on line 1" },
      { line: 4, message: '"-x" is no host name; write one name per line' },
      { line: 5, message: "h01 is listed twice, first on line 1" },
    ]);
  });

  it("takes a byte order mark and ranges, each host with its line", () => {
    expect(parseHosts("\uFEFFh01\r\nweb[09-11].dc1\ndb[1,3-4]").entries).toEqual([
      { host: "h01", line: 1 },
      { host: "web09.dc1", line: 2 },
      { host: "web10.dc1", line: 2 },
      { host: "web11.dc1", line: 2 },
      { host: "db1", line: 3 },
      { host: "db3", line: 3 },
      { host: "db4", line: 3 },
    ]);
  });

  it("says what is wrong with a range, and asks what a dot at the end means", () => {
    expect(parseHosts("a[1-\na[x]\na[5-1]\na[1-999999]\nh01.dc1.").faults).toEqual([
      { line: 1, message: '"a[1-" has a bracket without its other one; write a range such as web[001-120].dc1' },
      { line: 2, message: '"a[x]" has a range [x] that is none; write such as [001-120] or [1,3-5]' },
      { line: 3, message: '"a[5-1]" has a range [5-1] that runs backwards' },
      { line: 4, message: '"a[1-999999]" stands for more than 100000 hosts' },
      { line: 5, message: '"h01.dc1." is no host name; did you mean h01.dc1?' },
    ]);
  });

  it("has nothing to say about an empty text", () => {
    expect(parseHosts(" \n# none\n")).toEqual({ entries: [], faults: [] });
  });
});

describe("placed", () => {
  it("puts each fault of the server at the line or field it is about", () => {
    const { entries } = parseHosts("# two\nh01\n\nh99");
    expect(
      placed(
        [
          { path: "hosts[1]", message: "no source reports h99" },
          { path: "hosts[7]", message: "out of the text" },
          { path: "release", message: "not in the catalogue" },
          { path: "selector", message: "no host has such labels" },
          { path: "hosts", message: "too many" },
          { path: "mode", message: "unknown" },
        ],
        entries,
      ),
    ).toEqual({
      lines: [{ line: 4, message: "no source reports h99" }],
      hosts: ["too many"],
      selector: ["no host has such labels"],
      release: ["not in the catalogue"],
      reason: [],
      other: ["hosts[7]: out of the text", "mode: unknown"],
    });
  });
});

describe("requestOf", () => {
  const draft = { release: "2", by: "names", hosts: "h01", selector: "rack=r1", reason: " fix " } as const;
  let next = 0;
  const newId = () => `id-${String(++next)}`;

  it("keeps the id for the same submission and takes a new one for another", () => {
    const first = requestOf(draft, ["h01"], null, newId);
    expect(requestOf(draft, ["h01"], attemptOf(first), newId)).toEqual(first);
    expect(requestOf({ ...draft, hosts: "h01 # other comment" }, ["h01"], attemptOf(first), newId)).toEqual(first);
    expect(requestOf({ ...draft, reason: "other" }, ["h01"], attemptOf(first), newId).requestId).not.toBe(
      first.requestId,
    );
    expect(requestOf(draft, ["h01", "h02"], attemptOf(first), newId).requestId).not.toBe(first.requestId);
  });

  it("takes the names or the labels, whichever were chosen last, and tells submissions by both", () => {
    const named = requestOf(draft, ["h01"], null, newId);
    expect(named).toMatchObject({ hosts: ["h01"], selector: "" });
    const labelled = requestOf({ ...draft, by: "labels" }, ["h01"], attemptOf(named), newId);
    expect(labelled).toMatchObject({ hosts: [], selector: "rack=r1" });
    expect(labelled.requestId).not.toBe(named.requestId);
    const others = { ...draft, by: "labels", selector: "rack=r2" } as const;
    expect(requestOf(others, [], attemptOf(labelled), newId).requestId).not.toBe(labelled.requestId);
  });

  it("finds its last attempt after a reload of the page", () => {
    const request = requestOf(draft, ["h01"], null, newRequestId);
    writeKept({ draft, attempt: attemptOf(request) });
    const kept = readKept();
    expect(requestOf(kept.draft, ["h01"], kept.attempt, newRequestId)).toEqual(request);
    writeKept(null);
    expect(readKept().attempt).toBeNull();
  });

  it("begins anew where the kept draft cannot be read", () => {
    sessionStorage.setItem("drydock.draft", "{");
    expect(readKept()).toEqual({
      draft: { release: "", by: "names", hosts: "", selector: "", reason: "" },
      attempt: null,
    });
  });
});

describe("previewOf", () => {
  it("says what runs on the hosts, and who is unknown or there already", () => {
    const hosts = [host("h01", { web: "z1", ads: "a" }, { release: "2" }), host("h02", { web: "z2" })];
    expect(previewOf(["h01", "h02", "h99"], hosts, "2")).toEqual({
      unknown: ["h99"],
      already: ["h01"],
      applications: [
        { name: "web", hosts: 2 },
        { name: "ads", hosts: 1 },
      ],
    });
  });
});
