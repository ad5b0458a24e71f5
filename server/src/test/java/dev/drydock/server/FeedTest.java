package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fifty clients follow one rollout on a real server, half by stream and half by long poll, while
 * many transactions commit long after they wrote their events.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class FeedTest {
  private static final int EACH = 25;

  private TestServer server;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady("--roles=api");
  }

  @AfterAll
  void stop() throws Exception {
    server.close();
  }

  @Test
  void allSeeTheSameInTheSameOrderThroughTwoKillsOfTheServer() throws Exception {
    try (FeedScenario story = new FeedScenario(server.database(), "r-kills");
        FeedFollowers followers = new FeedFollowers(server, "r-kills", EACH, story)) {
      followers.untilAllSaw(10);
      for (int kills = 0; kills < 2; kills++) {
        server.kill();
        story.untilWritten(40);
        server.startUntilReady("--roles=api");
        followers.untilAllSaw(10);
      }
      story.end();
      List<List<String>> seen = followers.seenToTheEnd();
      assertThat(story.late()).as("commits that came late").isGreaterThan(10);
      assertThat(seen)
          .hasSize(2 * EACH)
          .allSatisfy(one -> assertThat(one).isEqualTo(story.cursors()));
    }
  }

  /** The control: when events have their number before their commit, followers miss some. */
  @Test
  void someMissEventsWhenTheNumberIsGivenBeforeTheCommit() throws Exception {
    server
        .database()
        .useHandle(
            handle ->
                handle.execute(
                    """
                    CREATE FUNCTION plant() RETURNS trigger LANGUAGE plpgsql AS
                      'BEGIN NEW.number := NEW.id; RETURN NEW; END';
                    CREATE TRIGGER plant BEFORE INSERT ON events
                      FOR EACH ROW EXECUTE FUNCTION plant();
                    """));
    try (FeedScenario story = new FeedScenario(server.database(), "r-planted");
        FeedFollowers followers = new FeedFollowers(server, "r-planted", 2, story)) {
      // Who comes later reads what is missed now from the database.
      followers.untilAllSaw(10);
      story.untilLate(3);
      story.end();
      for (List<String> one : followers.seenToTheEnd()) {
        Set<String> missed = new HashSet<>(story.cursors());
        missed.removeAll(one);
        assertThat(missed).isNotEmpty();
      }
    } finally {
      server.database().useHandle(handle -> handle.execute("DROP FUNCTION plant CASCADE"));
    }
  }
}
