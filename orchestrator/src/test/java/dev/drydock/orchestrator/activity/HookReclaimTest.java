package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.store.GrantStore;
import dev.drydock.orchestrator.testkit.HookBench;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch with hooks whose run was lost after the update ends, whatever that run had asked for. */
@Tag("stack")
class HookReclaimTest {
  private static final Hook TELL = HookBench.pre("tell", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0);

  private HookBench bench;

  @BeforeEach
  void start() {
    bench = new HookBench();
    bench.wants(TELL, HookBench.post(TELL));
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  @Test
  void aHookThatNobodyHasIsCancelled() {
    BatchRun run = lostIn(Phase.RECOVER, Phase.AFTER_DEPLOY, "a1");
    reclaimed(run);
    assertThat(bench.done(run)).containsOnlyOnce("Hook tell a1");
    leftToPeople(run, "a1");
  }

  @Test
  void aHookThatSomebodyHasIsWaitedForAndNotGivenToAnother() {
    BatchRun lost = bench.begin("b1");
    bench.reach(lost, Phase.RECOVER);
    bench.pursue(lost, Phase.AFTER_DEPLOY);
    String job = bench.job(lost, "tell", "b1");
    bench.claim(job);
    BatchRun run = reclaims(lost);
    assertThat(bench.pursue(run, Phase.RECLAIM).status()).isEqualTo(Status.WAITING);
    bench.end(asked(run), JobOutcome.Done);
    assertThat(bench.pursue(run, Phase.RECLAIM).status()).isEqualTo(Status.WAITING);
    assertThat(bench.offered(run)).containsExactly("Hook tell b1");
    bench.fleet.execute("UPDATE jobs SET state = 'Pending', claim = NULL WHERE id = '" + job + "'");
    assertThat(bench.pursue(run, Phase.RECLAIM).status()).isEqualTo(Status.BROKEN);
    leftToPeople(run, "b1");
  }

  @Test
  void aRecoverThatWasAskedForIsDone() {
    BatchRun run = lostIn(Phase.BEFORE_DEPLOY, Phase.RECOVER, "c1");
    reclaimed(run);
    assertThat(bench.done(run)).endsWith("Recover c1");
    leftToPeople(run, "c1");
  }

  /** Nobody recovers a host whose hooks before that may not be done. */
  @Test
  void aRecoverThatWasNotAskedForIsNotDone() {
    BatchRun run = lostIn(Phase.UPDATE, Phase.HEALTH, "d1");
    reclaimed(run);
    assertThat(bench.done(run)).doesNotContain("Recover d1");
    leftToPeople(run, "d1");
  }

  /** Its run was lost when it had passed one phase, and asked for what the next one needs. */
  private BatchRun lostIn(Phase passed, Phase asked, String host) {
    BatchRun run = bench.begin(host);
    bench.reach(run, passed);
    bench.pursue(run, asked);
    return reclaims(run);
  }

  private BatchRun reclaims(BatchRun lost) {
    assertThat(new GrantStore(bench.jdbi()).reclaim(lost.grant(), lost.run(), "lost")).isTrue();
    BatchRun run = bench.fleet.activities.begin(lost.grant(), "another");
    assertThat(run.reclaim()).isTrue();
    return run;
  }

  /** Whatever it asks for is done, and nothing that only the lost run asked for. */
  private void reclaimed(BatchRun run) {
    Progress progress = bench.pursue(run, Phase.RECLAIM);
    while (progress.status() == Status.WAITING) {
      bench.end(asked(run), JobOutcome.Done);
      progress = bench.pursue(run, Phase.RECLAIM);
    }
    assertThat(progress.status()).isEqualTo(Status.BROKEN);
  }

  private String asked(BatchRun run) {
    return bench.fleet.value(
        "SELECT id FROM jobs WHERE state = 'Pending' AND grant_id = '%s' AND run = %d"
            .formatted(run.grant(), run.run()));
  }

  private void leftToPeople(BatchRun run, String host) {
    assertThat(bench.fleet.activities.quarantine(run, Phase.RECLAIM)).isZero();
    bench.fleet.activities.recordEnd(run);
    assertThat(
            bench.fleet.value(
                "SELECT state || ': ' || reason FROM host_upgrades WHERE host = '" + host + "'"))
        .startsWith("Quarantined: lost");
    assertThat(bench.offered(run)).isEmpty();
  }
}
