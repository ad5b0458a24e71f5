package dev.drydock.orchestrator.report;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What one OSV entry says about packages of an operating system.
 *
 * @param cves the CVEs it names, or its own id when it names none
 */
record Advisory(String id, Set<String> cves, List<Affected> affected) {

  /**
   * A package and its versions that are affected: those in a range, and those named one by one.
   *
   * @param name as the ecosystem names it
   */
  record Affected(
      Ecosystem ecosystem, String name, List<List<Event>> ranges, Set<String> versions) {

    /**
     * Whether a host has an affected version.
     *
     * @param release of its operating system, such as {@code debian 12}, if it is known
     * @param installed versions, separated by blanks
     */
    boolean hits(PackageFamily packageFamily, Optional<String> release, String installed) {
      return ecosystem.covers(packageFamily, release)
          && PackageFamily.versions(installed).stream()
              .anyMatch(version -> hits(packageFamily, version));
    }

    private boolean hits(PackageFamily packageFamily, String version) {
      return versions.contains(version)
          || ranges.stream().anyMatch(events -> isIn(events, version, packageFamily.order()));
    }
  }

  /** A turn in a range: from its version on, or after it, packages are affected or not. */
  record Event(Kind kind, String version) {
    enum Kind {
      INTRODUCED,
      FIXED,
      LAST_AFFECTED
    }

    private boolean isPassedBy(String other, Comparator<String> order) {
      if (kind == Kind.INTRODUCED && version.equals("0")) {
        return true;
      }
      int compared = order.compare(other, version);
      return kind == Kind.LAST_AFFECTED ? compared > 0 : compared >= 0;
    }
  }

  /**
   * The evaluation of the OSV schema: the last event, in the order of versions, that the version
   * has passed decides; before the first one it is not affected.
   */
  static boolean isIn(List<Event> events, String version, Comparator<String> order) {
    boolean in = false;
    for (Event event : events.stream().sorted(byVersion(order)).toList()) {
      if (event.isPassedBy(version, order)) {
        in = event.kind() == Event.Kind.INTRODUCED;
      }
    }
    return in;
  }

  /** The version "0" of an introduction is before all others. */
  private static Comparator<Event> byVersion(Comparator<String> order) {
    return Comparator.comparing(
            (Event event) -> event.kind() != Event.Kind.INTRODUCED || !event.version().equals("0"))
        .thenComparing(Event::version, order)
        .thenComparing(Event::kind);
  }
}
