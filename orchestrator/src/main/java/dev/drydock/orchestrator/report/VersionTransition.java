package dev.drydock.orchestrator.report;

import dev.drydock.api.VersionChange;
import java.util.Comparator;
import java.util.Optional;

/**
 * From one version to another, and how many hosts went that way.
 *
 * @param from empty when it was not installed before
 * @param to empty when it is not installed any more
 */
public record VersionTransition(
    Optional<String> from, Optional<String> to, VersionChange change, int hosts) {
  /** Equal ones by their texts, so that a report is the same each time. */
  static final Comparator<VersionTransition> MOST_FREQUENT_FIRST =
      Comparator.comparingInt(VersionTransition::hosts)
          .reversed()
          .thenComparing(way -> way.from().orElse(""))
          .thenComparing(way -> way.to().orElse(""));

  static VersionTransition of(
      PackageFamily packageFamily, Optional<String> from, Optional<String> to, int hosts) {
    return new VersionTransition(from, to, packageFamily.change(from, to), hosts);
  }
}
