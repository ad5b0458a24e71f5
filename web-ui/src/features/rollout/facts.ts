/** One fact; with both sides when it was read before and after. */
export interface Fact {
  readonly name: string;
  readonly before?: string;
  readonly after?: string;
  readonly value?: string;
  readonly changed: boolean;
}

/** Facts by name, what changed first; `kernelBefore` and `kernel` or `kernelAfter` become one line. */
export function pairedFacts(facts: Readonly<Record<string, string>>): readonly Fact[] {
  const names = Object.keys(facts);
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
