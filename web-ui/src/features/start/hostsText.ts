import type { ErrorDetail } from "@/api/types.gen";
import { expand } from "./hostRange";

/** One host and where it was written. */
export interface Entry {
  readonly host: string;
  readonly line: number;
}

/** Something wrong in a line of the text. */
export interface LineFault {
  readonly line: number;
  readonly message: string;
}

export interface HostsText {
  readonly entries: readonly Entry[];
  readonly faults: readonly LineFault[];
}

const NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/;

/** Host names or ranges of them, one per line; `#` starts a comment. The same rules as those of the command line's hosts file. */
export function parseHosts(text: string): HostsText {
  const entries: Entry[] = [];
  const faults: LineFault[] = [];
  const firstLine = new Map<string, number>();
  for (const [index, raw] of text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = index + 1;
    const written = raw.replace(/#.*/, "").trim();
    if (written === "") {
      continue;
    }
    const range = expand(written);
    if (range.fault !== undefined) {
      faults.push({ line, message: `"${written}" ${range.fault}` });
    }
    for (const host of range.hosts) {
      const first = firstLine.get(host);
      if (!NAME.test(host)) {
        faults.push({ line, message: `"${host}" is no host name; ${hint(host)}` });
      } else if (first !== undefined) {
        faults.push({ line, message: `${host} is listed twice, first on line ${String(first)}` });
      }
      firstLine.set(host, first ?? line);
      entries.push({ host, line });
    }
  }
  return { entries, faults };
}

/** DNS ends a full name with a dot, inventories do not. */
function hint(host: string): string {
  const without = host.replace(/\.+$/, "");
  return without !== host && NAME.test(without) ? `did you mean ${without}?` : "write one name per line";
}

/** What the server said, at the fields of the form. */
export interface FormFaults {
  readonly lines: readonly LineFault[];
  readonly hosts: readonly string[];
  readonly selector: readonly string[];
  readonly release: readonly string[];
  readonly reason: readonly string[];
  /** What belongs to no field of this form. */
  readonly other: readonly string[];
}

const PATH = /^hosts\[(\d+)]/;

/** Every detail at the line or field it is about; `hosts[3]` is the fourth host, wherever comments put it. */
export function placed(details: readonly ErrorDetail[], entries: readonly Entry[]): FormFaults {
  const lines: LineFault[] = [];
  const fields: Record<"hosts" | "selector" | "release" | "reason" | "other", string[]> = {
    hosts: [],
    selector: [],
    release: [],
    reason: [],
    other: [],
  };
  for (const { path, message } of details) {
    const entry = entries[Number(PATH.exec(path)?.[1] ?? NaN)];
    if (entry) {
      lines.push({ line: entry.line, message });
    } else if (path === "hosts" || path === "selector" || path === "release" || path === "reason") {
      fields[path].push(message);
    } else {
      fields.other.push(path === "" ? message : `${path}: ${message}`);
    }
  }
  return { lines, ...fields };
}
