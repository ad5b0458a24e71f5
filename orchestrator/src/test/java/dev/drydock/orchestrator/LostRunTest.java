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
import dev.drydock.orchestrator.testkit.RestartableRoom;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.SimulatedConsumers;
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
  private final RestartableRoom restartableRoom = new RestartableRoom();

  @AfterEach
  void close() {
    restartableRoom.close();
  }

  @ParameterizedTest
  @CsvSource({
    "Cordon, Cordon Drain Update Health Recover",
    "Drain, Cordon Uncordon Cordon Drain Update Health Recover",
    "Update, Cordon Drain Recover Cordon Drain Update Health Recover",
    "Health, Cordon Drain Update Verify Health Recover",
    "Recover, Cordon Drain Update Health Verify Recover",
  })
  void itsHostIsReadBroughtBackAndUpdatedOnce(JobStep lostAt, String done) {
    restartableRoom.start().holdBack(lostAt);
    String rollout = restartableRoom.submit("a1");
    String grant = published(lostAt, "a1");
    restartableRoom.terminate("batch/" + grant);
    restartableRoom.until(() -> run(grant) == 2);
    restartableRoom.world().letGo(lostAt);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("a1")).containsExactly(done.split(" "));
    restartableRoom.until(() -> restartableRoom.locks("a1").isEmpty());
    assertThat(reclaims(grant)).isEqualTo(1);
    assertThat(givenOut("a1")).as("hosts refuse what is older than what they had").isSorted();
  }

  @ParameterizedTest
  @CsvSource({
    "Update, Cordon Drain Verify Health Recover",
    "Health, Cordon Drain Update Verify Recover"
  })
  void whatWasUnderWayEndsAndItsHostIsReadBeforeItComesBack(JobStep lostAt, String others) {
    restartableRoom.start().holdBack(lostAt);
    String rollout = restartableRoom.submit("b1");
    String grant = published(lostAt, "b1");
    Claimed held = claim(lostAt);
    restartableRoom.terminate("batch/" + grant);
    looked(grant);
    assertThat(restartableRoom.rows().jobs(JobStep.Verify, "b1"))
        .as("while somebody has it")
        .isEmpty();
    held.end(JobOutcome.Done);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("b1")).containsExactly(others.split(" "));
    assertThat(restartableRoom.rows().jobs(JobStep.Update, "b1"))
        .extracting(Row.Job::attempt)
        .containsExactly(1);
  }

  @Test
  void halfAnUpdateIsCompleted() {
    SimulatedConsumers consumers = restartableRoom.start();
    String rollout = halfway(consumers, "f1");
    consumers.outcome(JobStep.Verify, JobOutcome.Done);
    claim(JobStep.Update).end(JobOutcome.Done);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("f1"))
        .containsExactly("Cordon", "Drain", "Verify", "Verify", "Health", "Recover");
  }

  @Test
  void aHostThatIsNotOnTheReleaseAfterTwoUpdatesIsQuarantined() {
    String rollout = halfway(restartableRoom.start(), "c1");
    claim(JobStep.Update).end(JobOutcome.Done);
    restartableRoom.ended(rollout);
    assertThat(restartableRoom.host(rollout, "c1").getState())
        .isEqualTo(HostUpgradeState.Quarantined);
    assertThat(restartableRoom.host(rollout, "c1").getReason())
        .isEqualTo("run 1 of its workflow was lost (terminated); Verify: Verify Failed");
    assertThat(restartableRoom.locks("c1"))
        .extracting(LockRecord::kind)
        .containsExactly(LockRecord.Kind.QUARANTINE);
    assertThat(restartableRoom.done("c1")).containsExactly("Cordon", "Drain", "Verify", "Verify");
  }

  /** The run of its batch was lost amid its update, and it was read since. */
  private String halfway(SimulatedConsumers consumers, String host) {
    consumers.holdBack(JobStep.Update).outcome(JobStep.Verify, JobOutcome.Failed).begun(host);
    String rollout = restartableRoom.submit(host);
    String grant = published(JobStep.Update, host);
    Claimed update = claim(JobStep.Update);
    restartableRoom.terminate("batch/" + grant);
    restartableRoom.until(() -> run(grant) == 2);
    update.end(JobOutcome.Unknown);
    restartableRoom.until(() -> restartableRoom.rows().jobs(JobStep.Update, host).size() == 2);
    return rollout;
  }

  @Test
  void nothingIsLostWithAllThatTemporalKnew() {
    restartableRoom.start().holdBack(JobStep.Health);
    String rollout = restartableRoom.submit("d1", "d2");
    published(JobStep.Health, "d1");
    published(JobStep.Health, "d2");
    restartableRoom.loseTemporal();
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    for (String host : List.of("d1", "d2")) {
      // What was asked for before the loss goes on by itself until somebody looks.
      assertThat(restartableRoom.done(host))
          .startsWith("Cordon", "Drain", "Update")
          .containsOnlyOnce("Update", "Verify", "Health", "Recover");
    }
    restartableRoom.until(() -> restartableRoom.locks("d1", "d2").isEmpty());
  }

  @Test
  void aRunThatReclaimsMayBeLostAsWell() {
    restartableRoom.start().holdBack(JobStep.Health).holdBack(JobStep.Verify);
    String rollout = restartableRoom.submit("e1");
    String grant = published(JobStep.Health, "e1");
    restartableRoom.terminate("batch/" + grant);
    published(JobStep.Verify, "e1");
    restartableRoom.terminate("batch/" + grant);
    restartableRoom.until(() -> run(grant) == 3);
    restartableRoom.world().letGo(JobStep.Verify);
    restartableRoom.world().letGo(JobStep.Health);
    assertThat(restartableRoom.ended(rollout).getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(restartableRoom.done("e1"))
        .containsExactly("Cordon", "Drain", "Update", "Verify", "Health", "Recover");
    assertThat(reclaims(grant)).isEqualTo(2);
  }

  /** The control: as long as Temporal is believed, nobody looks after the host. */
  @Test
  @Tag("full")
  void isLeftForEverWhereNobodyLooks() {
    restartableRoom.start().holdBack(JobStep.Health);
    String rollout = restartableRoom.submit("f1");
    String grant = published(JobStep.Health, "f1");
    restartableRoom.believeTemporal();
    restartableRoom.terminate("batch/" + grant);
    restartableRoom.world().letGo(JobStep.Health);
    restartableRoom.until(() -> restartableRoom.done("f1").contains("Health"));
    int before = restartableRoom.askedInVain();
    restartableRoom.until(() -> restartableRoom.askedInVain() > before + 3);
    assertThat(run(grant)).isEqualTo(1);
    assertThat(restartableRoom.locks("f1")).hasSize(1);
    assertThat(restartableRoom.host(rollout, "f1").getState())
        .isEqualTo(HostUpgradeState.InProgress);
  }

  /** Waits for a job of the step for the host; answers its grant. */
  private String published(JobStep step, String host) {
    restartableRoom.until(() -> !restartableRoom.rows().jobs(step, host).isEmpty());
    return restartableRoom.rows().jobs(step, host).getFirst().grant();
  }

  private record Claimed(DrydockClient client, String job, String claim) {
    void end(JobOutcome outcome) {
      client.complete(job, claim, new JobResult().setOutcome(outcome).setMessage("by hand"));
    }
  }

  private Claimed claim(JobStep step) {
    Job job =
        Collections.unmodifiableList(
                restartableRoom.client().claimable(List.of("host/PackageUpdate"), 10))
            .stream()
            .filter(one -> one.getStep() == step)
            .findFirst()
            .orElseThrow();
    String claim = restartableRoom.client().claim(job.getId(), "test").getClaim();
    return new Claimed(restartableRoom.client(), job.getId(), claim);
  }

  private int run(String grant) {
    return restartableRoom.rows().batch(grant).run();
  }

  /** Waits until the second run has looked at the host: what nobody has is withdrawn then. */
  private void looked(String grant) {
    Row.Job drain = restartableRoom.rows().jobs(JobStep.Drain, "b1").getFirst();
    restartableRoom.fleet().workAsIf.publishedAgain(drain, 0);
    restartableRoom.until(
        () ->
            restartableRoom.rows().jobs(JobStep.Drain, "b1").getFirst().state()
                == JobState.Cancelled);
    assertThat(run(grant)).isEqualTo(2);
  }

  private long reclaims(String grant) {
    return restartableRoom.rows().told("BatchReclaimed").stream()
        .filter(told -> grant.equals(told.data().get("grant")))
        .count();
  }

  /**
   * When each of the jobs of the host was given to somebody, in the order in which they were
   * published.
   */
  private List<Long> givenOut(String host) {
    return restartableRoom.rows().jobs().stream()
        .filter(job -> job.host().equals(host))
        .flatMap(job -> job.given().stream())
        .toList();
  }
}
