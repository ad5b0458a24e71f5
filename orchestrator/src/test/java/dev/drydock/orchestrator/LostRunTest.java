package dev.drydock.orchestrator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Job;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.testkit.Harbour;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.proto.client.DrydockClient;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Batches whose workflow was lost, on a real Temporal: their hosts are read and brought back, and
 * no host is updated twice.
 */
@Tag("stack")
@Timeout(150)
@Execution(ExecutionMode.CONCURRENT)
class LostRunTest {
  private final Harbour harbour = new Harbour();

  @AfterEach
  void close() {
    harbour.close();
  }

  @ParameterizedTest
  @CsvSource({
    "Freeze, Freeze Drain Update Health Recover",
    "Drain, Freeze Unfreeze Freeze Drain Update Health Recover",
    "Update, Freeze Drain Recover Freeze Drain Update Health Recover",
    "Health, Freeze Drain Update Verify Health Recover",
    "Recover, Freeze Drain Update Health Verify Recover",
  })
  void itsHostIsReadBroughtBackAndUpdatedOnce(JobStep lostAt, String done) {
    harbour.start().holdBack(lostAt);
    String rollout = harbour.submit("a1");
    String grant = published(lostAt, "a1");
    harbour.terminate("batch/" + grant);
    harbour.until(() -> run(grant) == 2);
    harbour.world().letGo(lostAt);
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("a1")).containsExactly(done.split(" "));
    harbour.until(() -> harbour.locks("a1").isEmpty());
    assertThat(reclaims(grant)).isEqualTo(1);
    assertThat(givenOut("a1")).as("hosts refuse what is older than what they had").isSorted();
  }

  @ParameterizedTest
  @CsvSource({
    "Update, Freeze Drain Verify Health Recover",
    "Health, Freeze Drain Update Verify Recover"
  })
  void whatWasUnderWayEndsAndItsHostIsReadBeforeItComesBack(JobStep lostAt, String others) {
    harbour.start().holdBack(lostAt);
    String rollout = harbour.submit("b1");
    String grant = published(lostAt, "b1");
    Claimed held = claim(lostAt);
    harbour.terminate("batch/" + grant);
    looked(grant);
    assertThat(harbour.rows().jobs(JobStep.Verify, "b1")).as("while somebody has it").isEmpty();
    held.end(JobOutcome.Done);
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("b1")).containsExactly(others.split(" "));
    assertThat(harbour.rows().jobs(JobStep.Update, "b1"))
        .extracting(Row.Job::attempt)
        .containsExactly(1);
  }

  @Test
  void aHostThatIsNotOnTheReleaseAfterItsUpdateIsQuarantined() {
    harbour.start().holdBack(JobStep.Update).outcome(JobStep.Verify, JobOutcome.Failed).begun("c1");
    String rollout = harbour.submit("c1");
    String grant = published(JobStep.Update, "c1");
    Claimed update = claim(JobStep.Update);
    harbour.terminate("batch/" + grant);
    harbour.until(() -> run(grant) == 2);
    update.end(JobOutcome.Unknown);
    harbour.ended(rollout);
    assertThat(harbour.host(rollout, "c1").getState()).isEqualTo(HostUpgradeState.Quarantined);
    assertThat(harbour.host(rollout, "c1").getReason())
        .isEqualTo("run 1 of its workflow was lost (terminated); Verify: Verify Failed");
    assertThat(harbour.locks("c1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
    assertThat(harbour.done("c1")).containsExactly("Freeze", "Drain", "Verify");
  }

  @Test
  void nothingIsLostWithAllThatTemporalKnew() {
    harbour.start().holdBack(JobStep.Health);
    String rollout = harbour.submit("d1", "d2");
    published(JobStep.Health, "d1");
    published(JobStep.Health, "d2");
    harbour.loseTemporal();
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    for (String host : List.of("d1", "d2")) {
      // What was asked for before the loss goes on by itself until somebody looks.
      assertThat(harbour.done(host))
          .startsWith("Freeze", "Drain", "Update")
          .containsOnlyOnce("Update", "Verify", "Health", "Recover");
    }
    harbour.until(() -> harbour.locks("d1", "d2").isEmpty());
  }

  @Test
  void aRunThatReclaimsMayBeLostAsWell() {
    harbour.start().holdBack(JobStep.Health).holdBack(JobStep.Verify);
    String rollout = harbour.submit("e1");
    String grant = published(JobStep.Health, "e1");
    harbour.terminate("batch/" + grant);
    published(JobStep.Verify, "e1");
    harbour.terminate("batch/" + grant);
    harbour.until(() -> run(grant) == 3);
    harbour.world().letGo(JobStep.Verify);
    harbour.world().letGo(JobStep.Health);
    assertThat(harbour.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(harbour.done("e1"))
        .containsExactly("Freeze", "Drain", "Update", "Verify", "Health", "Recover");
    assertThat(reclaims(grant)).isEqualTo(2);
  }

  /** The control: as long as Temporal is believed, nobody looks after the host. */
  @Test
  @Tag("full")
  void isLeftForEverWhereNobodyLooks() {
    harbour.start().holdBack(JobStep.Health);
    String rollout = harbour.submit("f1");
    String grant = published(JobStep.Health, "f1");
    harbour.believeTemporal();
    harbour.terminate("batch/" + grant);
    harbour.world().letGo(JobStep.Health);
    harbour.until(() -> harbour.done("f1").contains("Health"));
    int before = harbour.askedInVain();
    harbour.until(() -> harbour.askedInVain() > before + 3);
    assertThat(run(grant)).isEqualTo(1);
    assertThat(harbour.locks("f1")).hasSize(1);
    assertThat(harbour.host(rollout, "f1").getState()).isEqualTo(HostUpgradeState.InProgress);
  }

  /** Waits for a job of the step for the host; answers its grant. */
  private String published(JobStep step, String host) {
    harbour.until(() -> !harbour.rows().jobs(step, host).isEmpty());
    return harbour.rows().jobs(step, host).getFirst().grant();
  }

  private record Claimed(DrydockClient client, String job, String claim) {
    void end(JobOutcome outcome) {
      client.complete(job, claim, new JobResult().setOutcome(outcome).setMessage("by hand"));
    }
  }

  private Claimed claim(JobStep step) {
    Job job =
        Collections.unmodifiableList(harbour.client().claimable(List.of("host/PackageUpdate"), 10))
            .stream()
            .filter(one -> one.getStep() == step)
            .findFirst()
            .orElseThrow();
    String claim = harbour.client().claim(job.getId(), "test").getClaim();
    return new Claimed(harbour.client(), job.getId(), claim);
  }

  private int run(String grant) {
    return harbour.rows().batch(grant).run();
  }

  /** Waits until the second run has looked at the host: what nobody has is withdrawn then. */
  private void looked(String grant) {
    Row.Job drain = harbour.rows().jobs(JobStep.Drain, "b1").getFirst();
    harbour.fleet().workAsIf.publishedAgain(drain, 0);
    harbour.until(
        () -> harbour.rows().jobs(JobStep.Drain, "b1").getFirst().state() == JobState.Cancelled);
    assertThat(run(grant)).isEqualTo(2);
  }

  private long reclaims(String grant) {
    return harbour.rows().told("BatchReclaimed").stream()
        .filter(told -> grant.equals(told.data().get("grant")))
        .count();
  }

  /**
   * When each of the jobs of the host was given to somebody, in the order in which they were
   * published.
   */
  private List<Long> givenOut(String host) {
    return harbour.rows().jobs().stream()
        .filter(job -> job.host().equals(host))
        .flatMap(job -> job.given().stream())
        .toList();
  }
}
