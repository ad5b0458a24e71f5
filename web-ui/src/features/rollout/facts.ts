/** One fact; with both sides when it was read before and after. */
export interface Fact {
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
  readonly value?: string;
  readonly changed: boolean;
}

/** Long lists have a place of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set(["packagesBefore", "packagesAfter"]);

/** Facts by name, what changed first; `kernelBefore` and `kernel` or `kernelAfter` become one line. */
export function pairedFacts(facts: Readonly<Record<string, string>>): readonly Fact[] {
  const names = Object.keys(facts).filter((name) => !ELSEWHERE.has(name));
  const paired = new Set(names.filter((name) => name.endsWith("Before")).map((name) => name.replace(/Before$/, "")));
  const single = names.map((name) => name.replace(/(Before|After)$/, ""));
  return [...new Set(single)]
    .map((name) =>
      paired.has(name)
        ? pair(name, facts)
        : { name, value: facts[name] ?? facts[`${name}After`] ?? "", changed: false },
    )
    .sort((a, b) => Number(b.changed) - Number(a.changed) || a.name.localeCompare(b.name));
}

function pair(name: string, facts: Readonly<Record<string, string>>): Fact {
  const before = facts[`${name}Before`] ?? "";
  const after = facts[`${name}After`] ?? facts[name];
  return { name, before, ...(after === undefined ? {} : { after }), changed: after !== undefined && after !== before };
}

/** One package whose version is another than it was. */
export interface PackageChange {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** What changed between two lists of lines `name version`; null while one of them is not known. */
export function packageChanges(facts: Readonly<Record<string, string>>): readonly PackageChange[] | null {
  const { packagesBefore, packagesAfter } = facts;
  if (packagesBefore === undefined || packagesAfter === undefined) {
    return null;
  }
  const before = versions(packagesBefore);
  const after = versions(packagesAfter);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((name) => before.get(name) !== after.get(name))
    .sort((a, b) => a.localeCompare(b))
    .map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }));
}

function versions(lines: string): ReadonlyMap<string, string> {
  return new Map(
    lines
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => [line.split(" ", 1)[0] ?? "", line.slice(line.indexOf(" ") + 1)]),
  );
}
