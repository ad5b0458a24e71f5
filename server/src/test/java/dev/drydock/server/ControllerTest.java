package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A team's controller says what may go down: the example one, against a whole server. */
@Tag("stack")
final class ControllerTest {
  /**
   * Capacity for all, so that whoever comes first only the controller stands against the others.
   */
  private static final String RULES =
      "{maxUnavailable: 3}, {controller: {topic: shard-approvals, timeout: 3s}}";

  @TempDir private Path folder = Path.of("");

  @Test
  void nothingGoesDownThatTheControllerDoesNotApproveNow() throws Exception {
    try (ControllerScenario story = new ControllerScenario(folder)) {
      story.policy(RULES);
      String rollout = story.rollout();
      story.eventually(
          "held while nobody answers",
          () -> story.why("h1").contains("did not answer in time: nobody claimed the question"));
      assertThat(story.why("h1"))
          .contains("Waiting: application web: controller shard-approvals (policy web version 1) ")
          .doesNotContain("Granted");

      story.startController();
      story.eventually("a replica of web-1 approved", () -> story.granted("h1", "h2").isPresent());
      String taken = story.granted("h1", "h2").orElseThrow();
      String other = taken.equals("h1") ? "h2" : "h1";
      story.eventually("the other shard too", () -> story.granted("h3").isPresent());
      story.eventually(
          "denied",
          () ->
              story.why(other).contains("ReplicaDown, two replicas of shard web-1 would be down"));

      story.close("web-2");
      story.done("Cordon", taken);
      story.done("Cordon", "h3");
      story.eventually("opened", () -> story.offered("Drain", taken).isPresent());
      story.eventually(
          "changed its mind",
          () -> story.why("h3").contains("TurnedBack: application web: controller"));
      assertThat(story.why("h3")).contains("ShardClosed, shard web-2 is being rebuilt");
      story.done("Uncordon", "h3");
      story.eventually("back", () -> story.upgrade(rollout, "h3").startsWith("Pending"));
      assertThat(story.offered("Drain", "h3")).isEmpty();

      story.killController();
      String garbage = "{\"decision\": \"Approved\", \"approved\": []}";
      assertThat(story.answerWith(garbage)).startsWith("422 ").contains("is in none of the lists");
      // A first question may be about h3 alone: what was denied is asked again some time later.
      story.eventually(
          "garbage is no answer",
          () -> {
            story.answerIfAsked(garbage);
            return story
                .why(other)
                .contains("answered nothing that counts: answer: instance web-1-");
          });
      assertThat(story.granted(other)).isEmpty();

      // The control: without the rule nothing stands against it.
      story.policy("{maxUnavailable: 2}");
      story.eventually("granted", () -> story.granted(other).isPresent());
    }
  }
}
