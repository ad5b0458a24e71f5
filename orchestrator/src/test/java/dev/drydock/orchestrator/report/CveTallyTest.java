package dev.drydock.orchestrator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.report.Advisory.Affected;
import dev.drydock.orchestrator.report.Advisory.Event;
import dev.drydock.orchestrator.report.CveTally.Group;
import dev.drydock.orchestrator.report.CveTally.Host;
import dev.drydock.orchestrator.report.ReportContents.CveCounts;
import dev.drydock.orchestrator.report.ReportContents.CveLine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The CVE counts of random fleets against judging each host by itself. */
class CveTallyTest {
  private static final int UNKNOWN = 3;

  @Test
  void countsAsJudgingEachHostDoes() {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    for (int run = 0; run < Integer.getInteger("prop.runs", 200); run++) {
      Random random = new Random(seed + run);
      List<Advisory> advisories = advisories(random);
      List<Group> groups = groups(random);
      Map<String, CveCounts> counted = counted(advisories, groups);
      assertThat(counted)
          .as("repeat with -Dprop.seed=%d -Dprop.runs=1", seed + run)
          .isEqualTo(judged(advisories, groups));
      int hosts = groups.stream().mapToInt(Group::hosts).sum() + UNKNOWN;
      assertThat(counted.values()).allMatch(counts -> sum(counts) == hosts);
    }
  }

  /** The control of the test above: before and after in each other's place are noticed. */
  @Test
  void noticesBeforeAndAfterInEachOthersPlace() {
    assertThat(
            LongStream.range(0, 20)
                .filter(
                    seed -> {
                      Random random = new Random(seed);
                      List<Advisory> advisories = advisories(random);
                      List<Group> groups = groups(random);
                      List<Group> swapped =
                          groups.stream()
                              .map(
                                  each ->
                                      new Group(
                                          each.after(), each.before(), each.hosts(), List.of()))
                              .toList();
                      return !counted(advisories, swapped).equals(judged(advisories, groups));
                    })
                .count())
        .isPositive();
  }

  @Test
  void namesTheFirstHostsThatStayOpen() {
    CveTally tally = new CveTally(List.of(advisory("DSA-1", Set.of("CVE-1"), "p0", "9")));
    for (int i = 99; i > 0; i--) {
      Host open = host(Map.of("p0", "1"));
      tally.add(new Group(open, open, 1, List.of("h%02d".formatted(i))));
    }
    CveLine line = tally.lines(0).getFirst();
    assertThat(line.hosts().stillOpen()).isEqualTo(99);
    assertThat(line.openHosts()).hasSize(20).startsWith("h01", "h02").endsWith("h20");
  }

  /** A host that an advisory says nothing about is not one that it says is not affected. */
  @Test
  void whatMatchesNothingIsNotCalledNotAffectedAndSaysWhy() {
    Host other = new Host(PackageFamily.APT, Optional.of("fleet 2"), Map.of("p0", "1"));
    assertThat(alone("Debian:12", "p0", other).matchedNothingBecause())
        .isEqualTo("it is about Debian:12, and hosts with p0 are fleet 2");
    assertThat(alone("Debian:12", "p0", other).hosts())
        .isEqualTo(new CveCounts(0, 0, 0, 0, 7, UNKNOWN));
    assertThat(alone("Debian", "glibc", other).matchedNothingBecause())
        .isEqualTo("no host has a package named glibc; advisories may name source packages");
    Host meant = new Host(PackageFamily.APT, Optional.of("debian 12"), Map.of("p0", "9"));
    CveLine control = alone("Debian:12", "p0", meant);
    assertThat(control.hosts()).isEqualTo(new CveCounts(0, 0, 0, 7, 0, UNKNOWN));
    assertThat(control.matchedNothingBecause()).isEmpty();
  }

  private static CveLine alone(String ecosystem, String name, Host host) {
    List<Event> events = List.of(new Event(Event.Kind.FIXED, "9"));
    Affected affected =
        new Affected(Ecosystem.of(ecosystem).orElseThrow(), name, List.of(events), Set.of());
    CveTally tally =
        new CveTally(List.of(new Advisory("DSA-1", Set.of("CVE-1"), List.of(affected))));
    tally.add(new Group(host, host, 7, List.of("h1")));
    return tally.lines(UNKNOWN).getFirst();
  }

  private static Map<String, CveCounts> counted(List<Advisory> advisories, List<Group> groups) {
    CveTally tally = new CveTally(advisories);
    groups.forEach(tally::add);
    Map<String, CveCounts> counts = new TreeMap<>();
    tally.lines(UNKNOWN).forEach(line -> counts.put(line.cve(), line.hosts()));
    return counts;
  }

  private static Map<String, CveCounts> judged(List<Advisory> advisories, List<Group> groups) {
    Map<String, CveCounts> counts = new TreeMap<>();
    for (String cve : List.of("CVE-1", "CVE-2", "CVE-3")) {
      List<Advisory> about = advisories.stream().filter(each -> each.cves().contains(cve)).toList();
      int[] hosts = new int[5];
      for (Group group : groups) {
        if (!matches(about, group.before()) && !matches(about, group.after())) {
          hosts[4] += group.hosts();
          continue;
        }
        hosts[affects(about, group.before()) + 2 * affects(about, group.after())] += group.hosts();
      }
      if (!about.isEmpty()) {
        counts.put(cve, new CveCounts(hosts[1], hosts[2], hosts[3], hosts[0], hosts[4], UNKNOWN));
      }
    }
    return counts;
  }

  private static boolean matches(List<Advisory> advisories, Host host) {
    return advisories.stream()
        .flatMap(advisory -> advisory.affected().stream())
        .anyMatch(affected -> host.versions().containsKey(affected.name()));
  }

  private static int affects(List<Advisory> advisories, Host host) {
    for (Advisory advisory : advisories) {
      for (Affected affected : advisory.affected()) {
        String installed = host.versions().get(affected.name());
        if (installed != null && affected.hits(host.family(), host.release(), installed)) {
          return 1;
        }
      }
    }
    return 0;
  }

  private static int sum(CveCounts counts) {
    return counts.closed()
        + counts.opened()
        + counts.stillOpen()
        + counts.notAffected()
        + counts.matchedNothing()
        + counts.unknown();
  }

  private static List<Advisory> advisories(Random random) {
    List<Advisory> advisories = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Set<String> cves =
          random.nextBoolean()
              ? Set.of("CVE-" + (1 + random.nextInt(3)))
              : Set.of("CVE-1", "CVE-2");
      advisories.add(advisory("DSA-" + i, cves, "p" + random.nextInt(3), "" + random.nextInt(4)));
    }
    return advisories;
  }

  private static Advisory advisory(String id, Set<String> cves, String name, String fixed) {
    List<Event> events =
        List.of(new Event(Event.Kind.INTRODUCED, "0"), new Event(Event.Kind.FIXED, fixed));
    return new Advisory(
        id,
        cves,
        List.of(
            new Affected(
                new Ecosystem(PackageFamily.APT, "", "Debian"), name, List.of(events), Set.of())));
  }

  private static List<Group> groups(Random random) {
    List<Group> groups = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Host before = host(versions(random));
      groups.add(
          new Group(before, host(versions(random)), 1 + random.nextInt(9), List.of("h" + i)));
    }
    return groups;
  }

  private static Map<String, String> versions(Random random) {
    Map<String, String> versions = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      if (random.nextInt(4) > 0) {
        versions.put("p" + i, "" + random.nextInt(4));
      }
    }
    return versions;
  }

  private static Host host(Map<String, String> versions) {
    return new Host(PackageFamily.APT, Optional.empty(), versions);
  }
}
