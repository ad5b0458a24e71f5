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

/** Judges one host of a submission after the other. */
final class HostCheck {
  private static final List<String> FAMILIES = List.of("apt", "dnf");

  private final String mode;
  private final Optional<Release> release;
  private final Seen seen;
  private final SubmissionFaults submissionFaults;

  /**
   * Judges hosts.
   *
   * @param mode how they come to the release
   * @param release empty if there is none of the name
   * @param seen what is known of all of them
   * @param submissionFaults where what is wrong with them is added
   */
  HostCheck(String mode, Optional<Release> release, Seen seen, SubmissionFaults submissionFaults) {
    this.mode = mode;
    this.release = release;
    this.seen = seen;
    this.submissionFaults = submissionFaults;
  }

  /**
   * A host of the inventory.
   *
   * @param present whether its source still reports it
   * @param writtenOff why people do not expect it back; empty if they do
   * @param family its package family, by its label
   */
  record Known(String name, boolean present, String writtenOff, String family) {}

  /**
   * What is known of hosts, by their names.
   *
   * @param alike the host that a name nobody reports may have meant
   * @param older why the release of the submission is older than the one a host is on
   * @param uncovered applications on a host without a policy
   * @param forbidding policies that do not let the mode of the submission be used on a host
   */
  record Seen(
      Map<String, Known> known,
      Map<String, String> alike,
      Map<String, String> older,
      Map<String, Set<String>> uncovered,
      Map<String, Set<String>> forbidding) {}

  static Map<String, Known> known(Handle handle, List<String> names) {
    return Sql.list(
            handle,
            Known.class,
            """
            SELECT name, vanished_at IS NULL AS present,
                   COALESCE(written_off_reason, '') AS written_off,
                   COALESCE(labels->>'os-family', 'apt') AS family
            FROM hosts WHERE name = ANY(:names)
            """,
            Map.of("names", names))
        .stream()
        .collect(Collectors.toMap(Known::name, Function.identity()));
  }

  /** Looks for everything wrong with one. */
  void judge(String path, String host) {
    Known known = seen.known().get(host);
    if (known == null) {
      String meant = seen.alike().get(host);
      submissionFaults.add(
          "UNKNOWN_HOST",
          path,
          "no source reports a host named "
              + FreeText.shown(host)
              + (meant == null ? "" : ": did you mean " + meant + "?"));
      return;
    }
    if (known.present()) {
      release.ifPresent(
          wanted -> {
            channel(path, host, known.family(), wanted);
            image(path, host, known.family(), wanted);
          });
      for (String application : seen.uncovered().getOrDefault(host, Set.of())) {
        String reason =
            "application " + application + " on " + host + " has no policy; apply one first";
        submissionFaults.refuse("NO_POLICY", path, host, reason, reason);
      }
    } else if (!known.writtenOff().isEmpty()) {
      submissionFaults.add(
          "WRITTEN_OFF",
          path,
          "%s is written off: %s; take that back with \"drydock host write-off %s --undo\""
              .formatted(host, known.writtenOff(), host));
    } else {
      submissionFaults.add(
          "VANISHED_HOST", path, FreeText.shown(host) + " vanished from the reports of its source");
    }
    if (seen.older().containsKey(host)) {
      submissionFaults.add("OLDER_RELEASE", path, host + " " + seen.older().get(host));
    }
    Set<String> forbidding = seen.forbidding().getOrDefault(host, Set.of());
    if (!forbidding.isEmpty()) {
      String reason =
          "%s is not among spec.modes of policy %s; choose another mode, or leave the host out"
              .formatted(mode, String.join(", ", new TreeSet<>(forbidding)));
      submissionFaults.refuse("MODE_FORBIDDEN", path, host, reason, host + ": " + reason);
    }
  }

  /** A host gets its packages from the channel of its family; a release need not have both. */
  private void channel(String path, String host, String family, Release wanted) {
    String field = family.equals("dnf") ? "dnfChannel" : "channel";
    boolean there = family.equals("dnf") ? wanted.hasDnfChannel() : !wanted.getChannel().isEmpty();
    if (!FAMILIES.contains(family)) {
      submissionFaults.add(
          "UNKNOWN_FAMILY",
          path,
          "the label os-family of %s is %s; it must be one of %s"
              .formatted(host, FreeText.shown(family), FAMILIES));
    } else if (!there) {
      submissionFaults.add(
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
      submissionFaults.add(
          "NO_IMAGE",
          path,
          "%s is of family %s, and release %s has no image for it; submit a release that has one"
              .formatted(host, family, wanted.getName()));
    }
  }
}
