package dev.drydock.orchestrator.jobs;

import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * How long this process has seen claims unchanged. The clock of the database may be set forward
 * while a consumer works; then only its silence, measured here, tells that its lease is over. A new
 * process begins to watch anew, which only gives consumers more time. Safe for use by many threads.
 */
final class ClaimSilence {
  private final BootClock clock;
  private final Duration enough;
  private final Map<String, Since> watched = new HashMap<>();

  /**
   * Watches nothing yet.
   *
   * @param enough after which silence a claim is over
   */
  ClaimSilence(BootClock clock, Duration enough) {
    this.clock = clock;
    this.enough = enough;
  }

  /**
   * A claim as its row says; a heartbeat changes it.
   *
   * @param leaseUntil as text, it is only compared
   */
  record Claimed(int attempt, String leaseUntil) {}

  private record Since(Claimed claimed, Duration began) {}

  /** Takes note of all claims there are, by job; just read. */
  synchronized void watch(Map<String, Claimed> claims) {
    // Read after the rows: a heartbeat seen in them was sent before.
    Duration now = clock.sinceBoot();
    watched.keySet().retainAll(claims.keySet());
    claims.forEach(
        (job, claimed) ->
            watched.compute(
                job,
                (same, since) ->
                    since != null && since.claimed().equals(claimed)
                        ? since
                        : new Since(claimed, now)));
  }

  /** Whether the claim of the job, as just read, has not changed for long enough. */
  synchronized boolean over(String job, Claimed claimed) {
    Since since = watched.get(job);
    return since != null
        && since.claimed().equals(claimed)
        && clock.sinceBoot().minus(since.began()).compareTo(enough) >= 0;
  }
}
