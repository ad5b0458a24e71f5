package dev.drydock.orchestrator.testkit;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.RolloutState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Rollouts, their hosts and grants as they are after some time, after a fault, or after somebody
 * else changed them. Where no host or rollout is named, all are meant.
 */
public final class AsIf {
  private static final Set<RolloutState> ENDS =
      EnumSet.of(RolloutState.Succeeded, RolloutState.Degraded, RolloutState.Aborted);

  private final Jdbi jdbi;

  public AsIf(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** As if the hosts were in a state. */
  public void are(HostUpgradeState state, String... hosts) {
    hosts("state = '" + state + "'", hosts);
  }

  /** The same in a transaction. */
  public static void are(Handle transaction, HostUpgradeState state, String... hosts) {
    hosts(transaction, "state = '" + state + "'", hosts);
  }

  /** As if the hosts had ended so, a moment ago. */
  public void ended(HostUpgradeState state, String... hosts) {
    hosts("state = '" + state + "', ended_at = clock_timestamp()", hosts);
  }

  /** As if the hosts of web had ended in a rollout, a moment ago. */
  public void failed(String rollout, String... hosts) {
    of(rollout, "state = 'Reverted', ended_at = clock_timestamp(), applications = '{web}'", hosts);
  }

  /** As if a host had ended in a rollout. */
  public void endedIn(String rollout, String host, HostUpgradeState state) {
    of(rollout, "state = '" + state + "', ended_at = clock_timestamp()", host);
  }

  /** As if hosts that ended had done so that many minutes before. */
  public void endedBefore(int minutes) {
    hosts("ended_at = ended_at - interval '" + minutes + " minutes'");
  }

  /** As if people had changed a row by hand. */
  public void upgradedByHand(String host) {
    hosts("state = 'Upgraded', step = 'End', reason = 'by hand'", host);
  }

  /** As if the hosts had waited long enough since they were turned back. */
  public void backOffOver(String... hosts) {
    hosts("not_before = NULL", hosts);
  }

  /** As if the hosts had been turned back, and waited for an hour. */
  public void backOff(String... hosts) {
    hosts("not_before = clock_timestamp() + interval '1 h'", hosts);
  }

  /** As if the hosts went together, in a batch of that number. */
  public void together(int batch, String... hosts) {
    hosts("batch = " + batch, hosts);
  }

  /** As if the hosts waited for canaries or halts. */
  public void waitFor(List<String> what, String... hosts) {
    hosts("waits_for = '{" + String.join(",", what) + "}'", hosts);
  }

  /** As if hosts had been asked whether they can be upgraded so much earlier. */
  public void askedBefore(Duration time) {
    String earlier = " - interval '" + time.toSeconds() + " s'";
    hosts("ready_until = ready_until" + earlier + ", ask_at = ask_at" + earlier);
  }

  /** As if the time had come to ask hosts again whether they can be upgraded. */
  public void askedAgain() {
    hosts("ask_at = NULL");
  }

  /** As if this were why a host does what it does. */
  public void reason(String host, String reason) {
    jdbi.useHandle(
        handle ->
            handle.execute("UPDATE host_upgrades SET reason = ? WHERE host = ?", reason, host));
  }

  /** As if the hosts were at a step of their batches. */
  public void at(String step, String... hosts) {
    hosts("step = '" + step + "'", hosts);
  }

  /** As if jobs of a host had told facts, as JSON. */
  public void tells(String host, String facts) {
    hosts("facts = '" + facts + "'", host);
  }

  /** As if the hosts had been on the release before. */
  public void cameFrom(String release) {
    hosts("release_before = '" + release + "'");
  }

  /** As if the hosts had tickets of that revision, in the order of their rollout. */
  public void aged(long revision, String... hosts) {
    hosts("seniority_revision = " + revision + ", seniority_index = position", hosts);
  }

  private void hosts(String how, String... hosts) {
    jdbi.useHandle(handle -> hosts(handle, how, hosts));
  }

  private static void hosts(Handle handle, String how, String... hosts) {
    handle.execute(
        "UPDATE host_upgrades SET " + how + " WHERE cardinality(?) = 0 OR host = ANY(?)",
        hosts,
        hosts);
  }

  private void of(String rollout, String how, String... hosts) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "UPDATE host_upgrades SET "
                    + how
                    + " WHERE rollout = ? AND (cardinality(?) = 0 OR host = ANY(?))",
                rollout,
                hosts,
                hosts));
  }

  /** As if the rollouts were in a state. */
  public void rolloutIs(RolloutState state, String... rollouts) {
    boolean over = ENDS.contains(state);
    rollouts(
        "state = '" + state + "', ended_at = " + (over ? "clock_timestamp()" : "NULL"), rollouts);
  }

  /** As if somebody had paused a rollout. */
  public void paused(String rollout, String by, String reason) {
    rolloutIs(RolloutState.Paused, rollout);
    rollouts("state_by = '" + by + "', state_reason = '" + reason + "'", rollout);
  }

  /** As if the rollouts had been submitted with a priority. */
  public void priority(String priority, String... rollouts) {
    rollouts("priority = '" + priority + "'", rollouts);
  }

  /** As if the time had come at which the rollouts were to begin. */
  public void theirTimeHasCome() {
    rollouts("start_at = clock_timestamp()");
  }

  /** As if the rollout had come out of another. */
  public void origin(String rollout, String how, String of) {
    rollouts("origin = '" + how + "', origin_rollout = '" + of + "'", rollout);
  }

  /** As if the rollout brought hosts to that release. */
  public void releaseOf(String rollout, String release) {
    rollouts("release = '" + release + "'", rollout);
  }

  /** As if the rollout upgraded hosts in this way. */
  public void mode(String rollout, String mode) {
    rollouts("mode = '" + mode + "'", rollout);
  }

  private void rollouts(String how, String... rollouts) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                "UPDATE rollouts SET " + how + " WHERE cardinality(?) = 0 OR id = ANY(?)",
                rollouts,
                rollouts));
  }

  /** As if too many web hosts of a hardware class had failed in a rollout. */
  public void halted(String rollout, String hardwareClass) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                """
                INSERT INTO cohort_halts (rollout, policy, hardware_class, application, says)
                VALUES (?, 'web', ?, 'web', 'halted')
                """,
                rollout,
                hardwareClass));
  }

  /** As if a host were the canary of web in a rollout. */
  public void canary(String rollout, String host) {
    jdbi.useHandle(
        handle ->
            handle.execute(
                """
                INSERT INTO canary_gates (rollout, policy, version, applications, hosts, soak_seconds)
                VALUES (?, 'web', 1, '{web}', ARRAY[?], 0)
                """,
                rollout,
                host));
  }

  /** As if what a host waited for had been noted that many minutes before. */
  public void waitedSince(String host, int minutes) {
    execute(
        "UPDATE waiting_reasons SET at = at - interval '%d minutes' WHERE host = '%s'"
            .formatted(minutes, host));
  }

  /** As if the locks had been made again that were to be. */
  public void lockedAgain() {
    execute("UPDATE impounds SET done_at = clock_timestamp()");
  }

  /** As if so many batches of a host had ended before. */
  public void hadBatches(int many, String rollout, String host) {
    execute(
        """
        INSERT INTO grants (id, rollout, hosts, state, end_state, epoch, beat, evidence)
        SELECT 'old' || n, '%s', '{%s}', 'ended', 'Requeued', 0, 0, '{}' FROM generate_series(1, %d) n
        """
            .formatted(rollout, host, many));
  }

  /** As if a batch had ended so, and its hold had not. */
  public void batchEnded(String grant, HostUpgradeState end) {
    grant(grant, "state = 'ended', end_state = '" + end + "'");
  }

  /** As if a batch had turned back and ended, so that its hosts wait again. */
  public void batchHeld(String grant) {
    grant(grant, "state = 'ended', end_state = 'Requeued'");
  }

  /** As if the hold of a batch had ended. */
  public void holdEnded(String grant) {
    grant(grant, "hold_ended_at = clock_timestamp()");
  }

  /** As if a grant had not been known to stand, and its batch had not begun. */
  public void onlyProposed(String grant) {
    grant(grant, "state = 'proposed', run = 0");
  }

  /** As if a batch went back. */
  public void goesBack(String grant, HostUpgradeState end, String reason) {
    grant(grant, "undo = '" + end + "', undo_reason = '" + reason + "'");
  }

  /** As if its open check had been decided that long ago. */
  public void opened(String grant, int secondsAgo) {
    grant(grant, "opened_at = clock_timestamp() - interval '" + secondsAgo + " s'");
  }

  /** As if its open check rested on an approval that ended now. */
  public void approvalEnded(String grant) {
    grant(grant, "open_until = clock_timestamp()");
  }

  /** As if it had been told to go back before anything was decided about that. */
  public void aborted(String grant) {
    grant(grant, "abort = true");
  }

  /** As if its run had been lost: the next one reclaims it. */
  public void lost(String grant) {
    grant(grant, "reclaim = 'its run was lost'");
  }

  /** As if its hooks had been looked at, and it had none. */
  public void withoutHooks(String grant) {
    grant(grant, "hooked = false");
  }

  private void grant(String grant, String how) {
    execute("UPDATE grants SET " + how + " WHERE id = '" + grant + "'");
  }

  /** As if all batches had been granted that long ago. */
  public void grantedBefore(int seconds) {
    execute(
        "UPDATE grants SET created_at = clock_timestamp() - interval '%d s'".formatted(seconds));
  }

  /** As if something had happened to a batch: its workflow looks. */
  public void woken(String grant) {
    execute(
        "INSERT INTO wakeups (workflow, cause) VALUES ('batch/"
            + grant
            + "', 'test'); NOTIFY relay");
  }

  private void execute(String sql) {
    jdbi.useHandle(handle -> handle.execute(sql));
  }
}
