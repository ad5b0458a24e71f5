import type { Host, HostUpgrade } from "@/api/types.gen";

/** Hosts of one fault zone, in the order submitted. */
export interface Zone {
  readonly name: string;
  readonly rows: readonly HostUpgrade[];
}

export const NO_ZONE = "no zone";

/** The applications on these hosts, the most widespread first: its zones are the ones to begin with. */
export function applicationsOf(hosts: readonly Host[]): readonly string[] {
  const spread = new Map<string, number>();
  for (const host of hosts) {
    for (const application of new Set(present(host).map((instance) => instance.application))) {
      spread.set(application, (spread.get(application) ?? 0) + 1);
    }
  }
  return [...spread].sort(([a, x], [b, y]) => y - x || a.localeCompare(b)).map(([application]) => application);
}

/** The zone of each host as one application has it; a host without it takes the zone of its first other one. */
export function zonesOfHosts(hosts: readonly Host[], application: string | undefined): ReadonlyMap<string, string> {
  return new Map(
    hosts.flatMap((host) => {
      const instances = present(host);
      const instance = instances.find((one) => one.application === application) ?? instances[0];
      return instance ? [[host.name, instance.zone] as const] : [];
    }),
  );
}

const NATURAL = new Intl.Collator(undefined, { numeric: true });

/** The rows by zone: z2 before z10, hosts without one last. */
export function zones(rows: readonly HostUpgrade[], zoneOf: ReadonlyMap<string, string>): readonly Zone[] {
  const byName = new Map<string, HostUpgrade[]>();
  for (const row of rows) {
    const name = zoneOf.get(row.host) ?? NO_ZONE;
    const sofar = byName.get(name);
    if (sofar) {
      sofar.push(row);
    } else {
      byName.set(name, [row]);
    }
  }
  return [...byName]
    .map(([name, its]) => ({ name, rows: its }))
    .sort((a, b) => Number(a.name === NO_ZONE) - Number(b.name === NO_ZONE) || NATURAL.compare(a.name, b.name));
}

/** What vanished from its source's reports is no instance of the host any more. */
const present = (host: Host) => host.instances.filter((instance) => instance.vanishedAt === undefined);
