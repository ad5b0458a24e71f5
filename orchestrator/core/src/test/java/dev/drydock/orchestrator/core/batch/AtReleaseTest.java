package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.HostBuilder;
import org.junit.jupiter.api.Test;

/** Which hosts are read before anything is done, and what follows from the reading. */
class AtReleaseTest {

  /** The inventory says that these are on the release. */
  private static BatchScript thought(String... hosts) {
    Batches batch = Batches.of(hosts);
    for (String host : hosts) {
      batch.host(host, HostBuilder::seemsDone);
    }
    return BatchScript.of(batch).decide();
  }

  @Test
  void readsNobodyWhoIsNotThoughtToBeAtTheRelease() {
    assertThat(BatchScript.of(Batches.of("h01")).decide().offered()).containsExactly("Cordon h01");
  }

  @Test
  void readsOnceHoweverOftenItIsAskedAndWhateverRunAsks() {
    BatchScript batchScript = thought("h02").decide().anotherRun();
    assertThat(batchScript.rounds()).containsExactly("Verify h02 Pending");
    assertThat(batchScript.jobs().getFirst().run())
        .as("the run that works it now owns it")
        .isEqualTo(2);
    batchScript.done("Verify h02");
    assertThat(batchScript.hosts()).isEqualTo("h02 Skipped");
    assertThat(batchScript.end()).contains(HostEnd.SKIPPED);
  }

  @Test
  void aReadingThatDisagreesMakesTheReleaseUnknownAndTheBatchGoOn() {
    BatchScript batchScript = thought("h03").failed("Verify h03");
    assertThat(batchScript.decided()).contains(new Action.ForgetRelease("h03"));
    assertThat(batchScript.rounds()).containsExactly("Verify h03 Failed", "Cordon h03 Pending");
  }

  /** The host is as it was; it is tried again later. */
  @Test
  void whatCouldNotBeReadGoesBack() {
    BatchScript batchScript = thought("h03").unknown("Verify h03");
    assertThat(batchScript.hosts()).isEqualTo("h03 Requeued");
    assertThat(batchScript.decided()).doesNotContain(new Action.ForgetRelease("h03"));
  }

  @Test
  void readsNobodyOnceSomethingWasBegun() {
    BatchScript batchScript = BatchScript.of(Batches.of("h04")).decide();
    batchScript.meanwhile(batch -> batch.host("h04", HostBuilder::seemsDone)).decide();
    assertThat(batchScript.rounds()).containsExactly("Cordon h04 Pending");
  }

  @Test
  void ofABatchOnlyTheHostsWithSomethingToDoGoOn() {
    Batches batch = Batches.of("h05", "h06").host("h05", HostBuilder::seemsDone);
    BatchScript batchScript = BatchScript.of(batch).decide().done("Verify h05");
    assertThat(batchScript.offered()).containsExactly("Cordon h06");
    batchScript.done("Cordon h06").held("too few up").done("Uncordon h06");
    assertThat(batchScript.hosts()).isEqualTo("h05 Skipped, h06 Requeued");
    assertThat(batchScript.left("h06")).isEqualTo("Requeued: too few up");
    assertThat(batchScript.end()).contains(HostEnd.REQUEUED);
  }

  @Test
  void aHostThatIsOutOfServiceIsNotDoneThoughItIsOnTheRelease() {
    Batches batch = Batches.of("h07").host("h07", HostBuilder::seemsDone);
    batch.host("h07", host -> host.down("3 of 3 instances are down"));
    BatchScript batchScript = BatchScript.of(batch).decide().done("Verify h07");
    assertThat(batchScript.left("h07"))
        .isEqualTo(
            "Reverted: not touched: on the release, but 3 of 3 instances are down; start what belongs"
                + " there, or have it recovered with: drydock host quarantine h07 --reason TEXT,"
                + " then drydock host return h07");
    assertThat(batchScript.rounds()).containsExactly("Verify h07 Done");
  }

  /** What is down there is repaired by the work itself, and Recover verifies it. */
  @Test
  void aHostThatIsOutOfServiceAndNotOnTheReleaseIsUpgraded() {
    Batches batch = Batches.of("h07").host("h07", host -> host.down("1 of 3 instances are down"));
    assertThat(BatchScript.of(batch).decide().offered()).containsExactly("Cordon h07");
  }

  @Test
  void nothingIsDoneToAHostThatAnotherRolloutBroughtFurther() {
    Batches batch = Batches.of("h08").host("h08", host -> host.supersededBy("superseded by r2"));
    BatchScript batchScript = BatchScript.of(batch).decide();
    assertThat(batchScript.rounds()).isEmpty();
    assertThat(batchScript.left("h08")).isEqualTo("Skipped: superseded by r2");
    assertThat(batchScript.end()).contains(HostEnd.SKIPPED);
  }

  @Test
  void theOthersOfItsBatchGoOn() {
    Batches batch = Batches.of("h08", "h09").host("h08", host -> host.supersededBy("superseded"));
    BatchScript batchScript = BatchScript.of(batch).decide();
    assertThat(batchScript.offered()).containsExactly("Cordon h09");
    batchScript.done("Cordon h09").held("too few up").done("Uncordon h09");
    assertThat(batchScript.hosts()).isEqualTo("h08 Skipped, h09 Requeued");
  }
}
