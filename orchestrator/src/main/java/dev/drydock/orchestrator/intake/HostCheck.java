package dev.drydock.orchestrator.intake;

import dev.drydock.api.Release;
import dev.drydock.api.RolloutMode;
import dev.drydock.platform.store.Sql;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Judges one host of a submission after the other. */
final class HostCheck {
  private static final List<String> FAMILIES = List.of("apt", "dnf");

  private final String mode;
  private final Optional<Release> release;
  private final Faults faults;

  /**
   * Judges hosts.
   *
   * @param mode how they come to the release
   * @param release empty if there is none of the name
   * @param faults where what is wrong with them is added
   */
  HostCheck(String mode, Optional<Release> release, Faults faults) {
    this.mode = mode;
    this.release = release;
    this.faults = faults;
  }

  /**
   * A host of the inventory.
   *
   * @param present whether its source still reports it
   * @param family its package family, by its label
   */
  record Known(String name, boolean present, String family) {}

  static Map<String, Known> known(Handle handle, List<String> names) {
    return Sql.list(
            handle,
            Known.class,
            """
            SELECT name, vanished_at IS NULL AS present,
                   COALESCE(labels->>'os-family', 'apt') AS family
            FROM hosts WHERE name = ANY(:names)
            """,
            Map.of("names", names))
        .stream()
        .collect(Collectors.toMap(Known::name, Function.identity()));
  }

  /**
   * Looks for everything wrong with one.
   *
   * @param uncovered applications on it without a policy
   */
  void judge(String path, String host, @Nullable Known known, Set<String> uncovered) {
    if (known == null) {
      faults.add("UNKNOWN_HOST", path, "no source reports a host named " + FreeText.shown(host));
      return;
    }
    if (!known.present()) {
      faults.add(
          "VANISHED_HOST", path, FreeText.shown(host) + " vanished from the reports of its source");
      return;
    }
    release.ifPresent(
        wanted -> {
          channel(path, host, known.family(), wanted);
          image(path, host, known.family(), wanted);
        });
    for (String application : uncovered) {
      String reason =
          "application " + application + " on " + host + " has no policy; apply one first";
      faults.refuse("NO_POLICY", path, host, reason, reason);
    }
  }

  /** Policies that do not let the mode of the submission be used on it. */
  void forbidden(String path, String host, Set<String> policies) {
    if (policies.isEmpty()) {
      return;
    }
    String reason =
        "%s is not among spec.modes of policy %s; choose another mode, or leave the host out"
            .formatted(mode, String.join(", ", new TreeSet<>(policies)));
    faults.refuse("MODE_FORBIDDEN", path, host, reason, host + ": " + reason);
  }

  /** A host gets its packages from the channel of its family; a release need not have both. */
  private void channel(String path, String host, String family, Release wanted) {
    String field = family.equals("dnf") ? "dnfChannel" : "channel";
    boolean there = family.equals("dnf") ? wanted.hasDnfChannel() : !wanted.getChannel().isEmpty();
    if (!FAMILIES.contains(family)) {
      faults.add(
          "UNKNOWN_FAMILY",
          path,
          "the label os-family of %s is %s; it must be one of %s"
              .formatted(host, FreeText.shown(family), FAMILIES));
    } else if (!there) {
      faults.add(
          "NO_CHANNEL",
          path,
          "%s is of family %s, and release %s has no %s; submit a release that has one"
              .formatted(host, family, wanted.getName(), field));
    }
  }

  /** A host that is re-imaged needs the image of its family. */
  private void image(String path, String host, String family, Release wanted) {
    if (mode.equals(RolloutMode.Reimage.name())
        && FAMILIES.contains(family)
        && !wanted.getImages().containsKey(family)) {
      faults.add(
          "NO_IMAGE",
          path,
          "%s is of family %s, and release %s has no image for it; submit a release that has one"
              .formatted(host, family, wanted.getName()));
    }
  }
}
