import type { Host } from "@/api/types.gen";

/** What a submission would touch, as far as the inventory knows. */
export interface Preview {
  /** Named, but in no source's report. */
  readonly unknown: readonly string[];
  /** Already verified on the release. */
  readonly already: readonly string[];
  /** Hosts by application, the most first. */
  readonly applications: readonly { readonly name: string; readonly hosts: number }[];
}

export function previewOf(names: readonly string[], hosts: readonly Host[], release: string): Preview {
  const present = new Set(hosts.filter((host) => host.vanishedAt === undefined).map((host) => host.name));
  const counts = new Map<string, number>();
  for (const host of hosts) {
    for (const name of new Set(host.instances.filter((i) => i.vanishedAt === undefined).map((i) => i.application))) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return {
    unknown: names.filter((name) => !present.has(name)),
    already: hosts.filter((host) => host.release === release).map((host) => host.name),
    applications: [...counts]
      .map(([name, many]) => ({ name, hosts: many }))
      .sort((a, b) => b.hosts - a.hosts || a.name.localeCompare(b.name)),
  };
}
