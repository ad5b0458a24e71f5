/** A slip such as `[1-10000000]` is told and not expanded. */
const HOSTS_MAX = 100_000;

const PARTS = /\[([^[\]]*)]/;
const SPAN = /^(\d{1,9})(?:-(\d{1,9}))?$/;

/** The names that a text stands for, or what is wrong with it. */
export interface Expanded {
  readonly hosts: readonly string[];
  readonly fault?: string;
}

/** Names written with ranges: `web[001-120].dc1`, `db[1,3-5]`. A number is as wide as it was written. */
export function expand(text: string): Expanded {
  const parts = text.split(PARTS);
  let hosts = [""];
  for (const [index, part] of parts.entries()) {
    // Whatever stood in brackets has an odd place.
    const numbers = index % 2 === 1 ? numbersOf(part) : { hosts: [part] };
    if (numbers.fault !== undefined) {
      return numbers;
    }
    if (index % 2 === 0 && /[[\]]/.test(part)) {
      return refused("has a bracket without its other one; write a range such as web[001-120].dc1");
    }
    if (hosts.length * numbers.hosts.length > HOSTS_MAX) {
      return refused(`stands for more than ${String(HOSTS_MAX)} hosts`);
    }
    hosts = hosts.flatMap((name) => numbers.hosts.map((number) => name + number));
  }
  return { hosts };
}

const refused = (fault: string): Expanded => ({ hosts: [], fault });

function numbersOf(list: string): Expanded {
  const numbers: string[] = [];
  for (const part of list.split(",")) {
    const [, from, to] = SPAN.exec(part.trim()) ?? [];
    if (from === undefined) {
      return refused(`has a range [${list}] that is none; write such as [001-120] or [1,3-5]`);
    }
    const first = Number(from);
    const last = Number(to ?? from);
    if (last < first) {
      return refused(`has a range [${list}] that runs backwards`);
    }
    if (last - first >= HOSTS_MAX - numbers.length) {
      return refused(`stands for more than ${String(HOSTS_MAX)} hosts`);
    }
    for (let number = first; number <= last; number++) {
      numbers.push(String(number).padStart(from.length, "0"));
    }
  }
  return { hosts: numbers };
}
