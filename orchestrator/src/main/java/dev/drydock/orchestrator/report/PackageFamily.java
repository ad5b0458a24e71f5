package dev.drydock.orchestrator.report;

import dev.drydock.api.VersionChange;
import dev.drydock.orchestrator.versions.DebianOrder;
import dev.drydock.orchestrator.versions.RpmOrder;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A family of package managers, and the order of versions that holds in it. */
public enum PackageFamily {
  APT("apt", new DebianOrder()),
  DNF("dnf", new RpmOrder());

  private final String text;
  private final Comparator<String> order;

  PackageFamily(String text, Comparator<String> order) {
    this.text = text;
    this.order = order;
  }

  /** By the word of the fact osFamily. */
  public static Optional<PackageFamily> of(String text) {
    return Arrays.stream(values()).filter(family -> family.text.equals(text)).findFirst();
  }

  /** The word of the fact osFamily. */
  public String text() {
    return text;
  }

  Comparator<String> order() {
    return order;
  }

  /**
   * What became of a package. Of several versions installed side by side the newest decide, then
   * the oldest.
   */
  VersionChange change(Optional<String> from, Optional<String> to) {
    if (from.isEmpty() || to.isEmpty()) {
      return from.isEmpty() ? VersionChange.Installed : VersionChange.Removed;
    }
    if (from.equals(to)) {
      return VersionChange.Unchanged;
    }
    List<String> before = versions(from.get());
    List<String> after = versions(to.get());
    int newest = order.compare(Collections.max(before, order), Collections.max(after, order));
    int oldest = order.compare(Collections.min(before, order), Collections.min(after, order));
    return newest > 0 || (newest == 0 && oldest > 0)
        ? VersionChange.Downgraded
        : VersionChange.Upgraded;
  }

  /** Several versions installed side by side are one text with blanks. */
  static List<String> versions(String installed) {
    return List.of(installed.split(" "));
  }
}
