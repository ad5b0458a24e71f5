package dev.drydock.orchestrator.report;

import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what an executor read on a host before the update and after it, in the transaction of the
 * job's result.
 *
 * <p>Properties: of the readings from before the first stands, since a repeated update reads a host
 * it has changed; of those from after the last. Facts that cannot be used are kept with their
 * fault, so that the report can name the host: they never fail a job.
 */
public class HostFacts {
  /** Fact with the packages before the update; comes with the result of an Update. */
  static final String PACKAGES_BEFORE = "packagesBefore";

  /** Fact with the packages after the update; comes with the result of a Health check. */
  static final String PACKAGES_AFTER = "packagesAfter";

  static final String FAMILY = "osFamily";
  static final String RELEASE = "osRelease";
  static final String KERNEL = "kernel";

  /** When a reading was taken. */
  enum Moment {
    BEFORE,
    AFTER
  }

  /** Keeps whatever of the facts of one result is for the report. */
  public void keep(Handle handle, String rollout, String host, Map<String, String> facts) {
    String before = facts.get(PACKAGES_BEFORE);
    if (before != null) {
      Map<String, String> about = about(facts, "osReleaseBefore", "kernelBefore");
      store(handle, new Reading(rollout, host, Moment.BEFORE, about), PackageList.parse(before));
    }
    String after = facts.get(PACKAGES_AFTER);
    if (after != null) {
      Map<String, String> about = about(facts, "osReleaseAfter", "kernelAfter", KERNEL);
      store(handle, new Reading(rollout, host, Moment.AFTER, about), PackageList.parse(after));
    }
  }

  /** The facts without the long lists, which have a place of their own: each is its digest. */
  public static Map<String, String> small(Map<String, String> facts) {
    Map<String, String> small = new HashMap<>(facts);
    for (String list : new String[] {PACKAGES_BEFORE, PACKAGES_AFTER}) {
      small.computeIfPresent(
          list, (key, text) -> "sha256:" + HexFormat.of().formatHex(PackageList.sha256(text)));
    }
    return small;
  }

  /** Whether a later reading of the moment takes the place of the one that is there. */
  boolean lastStands(Moment moment) {
    return moment == Moment.AFTER;
  }

  private record Reading(String rollout, String host, Moment moment, Map<String, String> facts) {

    private String fault(PackageList packages) {
      return switch (packages) {
        case PackageList.Faulty faulty -> "its package list " + faulty.fault();
        case PackageList.Known known when PackageFamily.of(family()).isEmpty() ->
            "its package family " + family() + " is not known";
        case PackageList.Known known when !facts.containsKey(KERNEL) ->
            "its running kernel was not told";
        case PackageList.Known known -> "";
      };
    }

    private String family() {
      return Objects.requireNonNull(facts.get(FAMILY));
    }
  }

  private static Map<String, String> about(
      Map<String, String> facts, String release, String... kernels) {
    Map<String, String> about = new HashMap<>();
    about.put(FAMILY, facts.getOrDefault(FAMILY, PackageFamily.APT.text()));
    Stream.of(release, RELEASE)
        .filter(facts::containsKey)
        .findFirst()
        .ifPresent(key -> about.put(RELEASE, facts.getOrDefault(key, "")));
    Stream.of(kernels)
        .filter(facts::containsKey)
        .findFirst()
        .ifPresent(key -> about.put(KERNEL, facts.getOrDefault(key, "")));
    return about;
  }

  private void store(Handle handle, Reading reading, PackageList packages) {
    byte @Nullable [] digest = null;
    if (packages instanceof PackageList.Known known) {
      digest = known.digest();
      Sql.update(
          handle,
          """
          INSERT INTO package_lists (digest, packages) VALUES (:digest, CAST(:packages AS jsonb))
          ON CONFLICT (digest) DO NOTHING
          """,
          Map.of("digest", digest, "packages", Json.writeTree(known.versions())));
    }
    Sql.update(
        handle,
        """
        INSERT INTO host_facts (rollout, host, moment, facts, packages, fault)
        VALUES (:rollout, :host, :moment, CAST(:facts AS jsonb), :packages, :fault)
        ON CONFLICT (rollout, host, moment) DO UPDATE
        SET at = EXCLUDED.at, facts = EXCLUDED.facts, packages = EXCLUDED.packages,
            fault = EXCLUDED.fault
        WHERE :lastStands
        """,
        Map.of(
            "rollout", reading.rollout(),
            "host", reading.host(),
            "moment", reading.moment().name().toLowerCase(Locale.ROOT),
            "facts", Json.writeTree(reading.facts()),
            "packages", Optional.ofNullable(digest),
            "fault", reading.fault(packages),
            "lastStands", lastStands(reading.moment())));
  }
}
