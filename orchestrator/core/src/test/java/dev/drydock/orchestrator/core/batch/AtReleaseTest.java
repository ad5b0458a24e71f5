package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.HostBuilder;
import dev.drydock.orchestrator.core.testkit.Story;
import org.junit.jupiter.api.Test;

/** Which hosts are read before anything is done, and what follows from the reading. */
class AtReleaseTest {

  /** The inventory says that these are on the release. */
  private static Story thought(String... hosts) {
    Batches batch = Batches.of(hosts);
    for (String host : hosts) {
      batch.host(host, HostBuilder::seemsDone);
    }
    return Story.of(batch).decide();
  }

  @Test
  void readsNobodyWhoIsNotThoughtToBeAtTheRelease() {
    assertThat(Story.of(Batches.of("h01")).decide().offered()).containsExactly("Freeze h01");
  }

  @Test
  void readsOnceHoweverOftenItIsAskedAndWhateverRunAsks() {
    Story story = thought("h02").decide().anotherRun();
    assertThat(story.rounds()).containsExactly("Verify h02 Pending");
    assertThat(story.jobs().getFirst().run()).as("the run that works it now owns it").isEqualTo(2);
    story.done("Verify h02");
    assertThat(story.hosts()).isEqualTo("h02 Skipped");
    assertThat(story.end()).contains(HostEnd.SKIPPED);
  }

  @Test
  void aReadingThatDisagreesMakesTheReleaseUnknownAndTheBatchGoOn() {
    Story story = thought("h03").failed("Verify h03");
    assertThat(story.decided()).contains(new Action.ForgetRelease("h03"));
    assertThat(story.rounds()).containsExactly("Verify h03 Failed", "Freeze h03 Pending");
  }

  /** The host is as it was; it is tried again later. */
  @Test
  void whatCouldNotBeReadGoesBack() {
    Story story = thought("h03").unknown("Verify h03");
    assertThat(story.hosts()).isEqualTo("h03 Held");
    assertThat(story.decided()).doesNotContain(new Action.ForgetRelease("h03"));
  }

  @Test
  void readsNobodyOnceSomethingWasBegun() {
    Story story = Story.of(Batches.of("h04")).decide();
    story.meanwhile(batch -> batch.host("h04", HostBuilder::seemsDone)).decide();
    assertThat(story.rounds()).containsExactly("Freeze h04 Pending");
  }

  @Test
  void ofABatchOnlyTheHostsWithSomethingToDoGoOn() {
    Batches batch = Batches.of("h05", "h06").host("h05", HostBuilder::seemsDone);
    Story story = Story.of(batch).decide().done("Verify h05");
    assertThat(story.offered()).containsExactly("Freeze h06");
    story.done("Freeze h06").held("too few up").done("Unfreeze h06");
    assertThat(story.hosts()).isEqualTo("h05 Skipped, h06 Held");
    assertThat(story.left("h06")).isEqualTo("Held: too few up");
    assertThat(story.end()).contains(HostEnd.HELD);
  }
}
