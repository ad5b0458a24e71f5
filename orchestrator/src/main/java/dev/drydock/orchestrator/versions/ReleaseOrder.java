package dev.drydock.orchestrator.versions;

import dev.drydock.api.Release;
import java.util.Comparator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Which of two releases is the older one for hosts of a package family. Releases have names that
 * nobody ordered, so their packages decide: one is older if some package has an older version in it
 * and none a newer one; where they have the same packages, the kernel decides. Of others neither is
 * older: what nobody knows stands against no host.
 */
public final class ReleaseOrder {
  private static final Comparator<String> APT = new DebianOrder();
  private static final Comparator<String> DNF = new RpmOrder();

  private ReleaseOrder() {}

  /**
   * What tells that {@code wanted} is older than {@code has} on hosts of the family: the first
   * package that would go back, with both versions. Empty where it is not older.
   */
  public static Optional<String> older(Release wanted, Release has, String family) {
    boolean dnf = family.equals("dnf");
    Comparator<String> order = dnf ? DNF : APT;
    Map<String, String> before = dnf ? has.getDnfPackages() : has.getPackages();
    Map<String, String> after = dnf ? wanted.getDnfPackages() : wanted.getPackages();
    Optional<String> back = Optional.empty();
    for (Map.Entry<String, String> installed : new TreeMap<>(before).entrySet()) {
      String version = after.get(installed.getKey());
      if (version == null) {
        continue;
      }
      int change = order.compare(version, installed.getValue());
      if (change > 0) {
        return Optional.empty();
      }
      if (change < 0 && back.isEmpty()) {
        back = Optional.of(told(installed.getKey(), installed.getValue(), version));
      }
    }
    return back.isPresent() || !before.keySet().equals(after.keySet())
        ? back
        : olderKernel(kernel(wanted, dnf), kernel(has, dnf), order);
  }

  private static Optional<String> olderKernel(String wanted, String has, Comparator<String> order) {
    return !wanted.isEmpty() && !has.isEmpty() && order.compare(wanted, has) < 0
        ? Optional.of(told("kernel", has, wanted))
        : Optional.empty();
  }

  private static String kernel(Release release, boolean dnf) {
    String own = dnf ? release.getDnfKernel() : null;
    return Objects.requireNonNullElse(own == null ? release.getKernel() : own, "");
  }

  private static String told(String what, String from, String to) {
    return "%s would go from %s back to %s".formatted(what, from, to);
  }
}
