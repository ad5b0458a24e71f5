package dev.drydock.orchestrator.testkit;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What one row says. {@link Rows} reads them. */
public sealed interface Row {

  /**
   * A host of a rollout.
   *
   * @param grant that of its batch; empty if it had none
   * @param age the revision of its first ticket
   * @param readFirst whether it is read before anything else is done there
   * @param version another one each time that the row is written
   */
  record Host(
      String rollout,
      String name,
      HostUpgradeState state,
      String reason,
      String step,
      String grant,
      int batch,
      List<String> waitsFor,
      Optional<Instant> notBefore,
      Optional<Long> age,
      boolean readFirst,
      String facts,
      String version)
      implements Row {}

  /**
   * A job.
   *
   * @param given a number that rises with each claim
   */
  record Job(
      String id,
      String grant,
      JobStep step,
      String host,
      int round,
      JobState state,
      int attempt,
      Optional<Long> given,
      Optional<Integer> hook,
      String topic,
      Map<String, Object> spec,
      Map<String, Object> result,
      Instant createdAt,
      Instant deadline,
      Optional<Instant> endedAt)
      implements Row {

    /** What it says under a key; none if nothing. */
    public String says(String key) {
      return String.valueOf(spec.getOrDefault(key, "none"));
    }

    /** The release it is about. */
    public String release() {
      return spec.get("release") instanceof Map<?, ?> release
          ? String.valueOf(release.get("name"))
          : "none";
    }

    /** What its hook had kept; none if nothing. */
    public String kept() {
      return ofHook("state").orElse("none");
    }

    /** The stage of its hook. */
    public Optional<String> stage() {
      return ofHook("stage");
    }

    private Optional<String> ofHook(String key) {
      return spec.get("hook") instanceof Map<?, ?> hook && hook.get(key) instanceof String said
          ? Optional.of(said)
          : Optional.empty();
    }

    /** What is done in it: its repair, or its step. */
    public String work() {
      return String.valueOf(spec.getOrDefault("repair", step));
    }
  }

  /**
   * A batch, as its grant says.
   *
   * @param end how it ended; empty before
   * @param reclaimed whether a run of it was lost, so that its hosts are only read and brought back
   * @param back the end it goes back to and why, such as {@code Requeued: too few up}; empty if not
   */
  record Batch(
      String id,
      String rollout,
      List<String> hosts,
      String state,
      String stage,
      String end,
      int run,
      boolean aborts,
      boolean reclaimed,
      boolean blind,
      String back,
      Optional<Long> age,
      String holdRevision,
      Optional<Instant> openedAt,
      Optional<Instant> openUntil,
      Optional<Instant> endedAt,
      Optional<Instant> holdEndedAt)
      implements Row {}

  /** What the grantor was asked about a batch, and its answer with the reason. */
  record Check(String grant, String kind, int round, String state, String reason) implements Row {}

  /** Something the feed tells. */
  record Told(String kind, String rollout, String host, Map<String, Object> data) implements Row {}

  /** A rollout. */
  record Rollout(
      String id, RolloutState state, String by, String reason, Optional<Instant> countedFrom)
      implements Row {}

  /** A workflow to be woken. */
  record WakeUp(String workflow, String cause, Instant due) implements Row {}

  /** A hook of a batch, and what it handed over. */
  record Hook(String grant, int number, String name, String target, String state) implements Row {}

  /** A phase that took too long. */
  record Overdue(String host, String cause, boolean over) implements Row {}

  /** A lock that is to be made again. */
  record Impound(String lock, String host, String kind, boolean done) implements Row {}

  /** A remediation. */
  record Remediation(String host, String step, String state, boolean wentBack) implements Row {}

  /** Something that was to be decided. */
  record Decision(
      String id,
      List<String> jobs,
      String pace,
      String says,
      String answer,
      String by,
      String reason)
      implements Row {}
}
