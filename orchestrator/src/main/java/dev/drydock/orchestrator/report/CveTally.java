package dev.drydock.orchestrator.report;

import dev.drydock.orchestrator.report.Advisory.Affected;
import dev.drydock.orchestrator.report.ReportContents.CveCounts;
import dev.drydock.orchestrator.report.ReportContents.CveLine;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Counts the hosts on which each CVE was closed. Takes them one group after the other and remembers
 * only what each version of a package means, since thousands of hosts have the same few.
 *
 * <p>Property: of each CVE the six counts add up to the hosts counted in, known and unknown.
 */
final class CveTally {
  static final int OPEN_HOSTS_MAX = 20;

  /**
   * A host at one moment.
   *
   * @param release of its operating system, such as {@code debian 12}, if it is known
   * @param versions of installed packages, at least of those the advisories are about
   */
  record Host(PackageFamily family, Optional<String> release, Map<String, String> versions) {}

  /**
   * Hosts with the same versions of all packages the advisories are about.
   *
   * @param names of the first {@link #OPEN_HOSTS_MAX} of them at least
   */
  record Group(Host before, Host after, int hosts, List<String> names) {}

  /** A package as it is installed. */
  private record Installed(
      PackageFamily family, Optional<String> release, String name, String versions) {}

  /**
   * What a host has to do with the CVEs, by their places in the list.
   *
   * @param matched something is said of a package of it, in its operating system
   * @param installed a package of the name is installed
   */
  private record Standing(BitSet affected, BitSet matched, BitSet installed) {}

  /** What is said of an installed package. */
  private record Meaning(BitSet affected, BitSet matched) {}

  private static final class Cve {
    private final String name;
    private final SortedSet<String> advisories = new TreeSet<>();
    private final SortedSet<String> packages = new TreeSet<>();
    private final SortedSet<String> openHosts = new TreeSet<>();
    private final SortedSet<String> ecosystems = new TreeSet<>();
    private final SortedSet<String> otherSystems = new TreeSet<>();
    private int installedOn;
    private int matchedOn;
    private int closed;
    private int opened;
    private int stillOpen;

    private Cve(String name) {
      this.name = name;
    }

    private CveLine line(int known, int unknown) {
      int notAffected = matchedOn - closed - opened - stillOpen;
      int matchedNothing = known - matchedOn;
      return new CveLine(
          name,
          advisories,
          packages,
          installedOn,
          new CveCounts(closed, opened, stillOpen, notAffected, matchedNothing, unknown),
          matchedNothing == 0 ? "" : because(),
          openHosts.stream().limit(OPEN_HOSTS_MAX).toList());
    }

    private String because() {
      String named = String.join(", ", packages);
      if (installedOn == 0) {
        return "no host has a package named %s; advisories may name source packages"
            .formatted(named);
      }
      return otherSystems.isEmpty()
          ? "the other hosts have no package named " + named
          : "it is about %s, and hosts with %s are %s"
              .formatted(String.join(", ", ecosystems), named, String.join(", ", otherSystems));
    }
  }

  /** What is said of a package, and in the name of which CVEs. */
  private record Saying(Affected affected, List<Integer> cves) {}

  private final List<Cve> cves = new ArrayList<>();
  private final Map<String, List<Saying>> byPackage = new HashMap<>();
  private final Map<Installed, Meaning> meanings = new HashMap<>();
  private int known;

  CveTally(Collection<Advisory> advisories) {
    Map<String, Integer> places = new TreeMap<>();
    advisories.forEach(advisory -> advisory.cves().forEach(cve -> places.put(cve, 0)));
    for (Map.Entry<String, Integer> place : places.entrySet()) {
      place.setValue(cves.size());
      cves.add(new Cve(place.getKey()));
    }
    for (Advisory advisory : advisories) {
      List<Integer> named =
          advisory.cves().stream().map(cve -> places.getOrDefault(cve, 0)).toList();
      named.forEach(cve -> cves.get(cve).advisories.add(advisory.id()));
      for (Affected affected : advisory.affected()) {
        named.forEach(cve -> cves.get(cve).packages.add(affected.name()));
        named.forEach(cve -> cves.get(cve).ecosystems.add(affected.ecosystem().text()));
        byPackage
            .computeIfAbsent(affected.name(), name -> new ArrayList<>())
            .add(new Saying(affected, named));
      }
    }
  }

  /** Every package some advisory is about. */
  Collection<String> packages() {
    return byPackage.keySet();
  }

  void add(Group group) {
    known += group.hosts();
    Standing before = standing(group.before());
    Standing after = standing(group.after());
    BitSet either = (BitSet) before.installed().clone();
    either.or(after.installed());
    either.stream().forEach(cve -> cves.get(cve).installedOn += group.hosts());
    BitSet matched = (BitSet) before.matched().clone();
    matched.or(after.matched());
    matched.stream().forEach(cve -> cves.get(cve).matchedOn += group.hosts());
    either.andNot(matched);
    either.stream().forEach(cve -> cves.get(cve).otherSystems.add(system(group.after())));
    BitSet ever = (BitSet) before.affected().clone();
    ever.or(after.affected());
    ever.stream()
        .forEach(
            place -> {
              Cve cve = cves.get(place);
              if (!after.affected().get(place)) {
                cve.closed += group.hosts();
                return;
              }
              if (before.affected().get(place)) {
                cve.stillOpen += group.hosts();
              } else {
                cve.opened += group.hosts();
              }
              cve.openHosts.addAll(group.names());
              while (cve.openHosts.size() > OPEN_HOSTS_MAX) {
                cve.openHosts.removeLast();
              }
            });
  }

  /**
   * By CVE.
   *
   * @param unknown hosts of which too little is known
   */
  List<CveLine> lines(int unknown) {
    return cves.stream().map(cve -> cve.line(known, unknown)).toList();
  }

  private static String system(Host host) {
    return host.release().orElse(host.family().text());
  }

  private Standing standing(Host host) {
    Standing standing = new Standing(new BitSet(), new BitSet(), new BitSet());
    host.versions()
        .forEach(
            (name, versions) -> {
              List<Saying> sayings = byPackage.getOrDefault(name, List.of());
              sayings.forEach(saying -> saying.cves().forEach(standing.installed()::set));
              Installed installed = new Installed(host.family(), host.release(), name, versions);
              Meaning meaning = meanings.computeIfAbsent(installed, key -> meaning(key, sayings));
              standing.affected().or(meaning.affected());
              standing.matched().or(meaning.matched());
            });
    return standing;
  }

  private static Meaning meaning(Installed installed, List<Saying> sayings) {
    Meaning meaning = new Meaning(new BitSet(), new BitSet());
    for (Saying saying : sayings) {
      Affected affected = saying.affected();
      if (affected.ecosystem().covers(installed.family(), installed.release())) {
        saying.cves().forEach(meaning.matched()::set);
      }
      if (affected.hits(installed.family(), installed.release(), installed.versions())) {
        saying.cves().forEach(meaning.affected()::set);
      }
    }
    return meaning;
  }
}
