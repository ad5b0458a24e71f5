package dev.drydock.cli;

import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Follows a rollout by its events, and goes on through a restart of the server for as long as its
 * budget lasts.
 */
final class RolloutFollower {
  /** A burst of events becomes one picture, and a server that is away is not hammered. */
  private static final long PAUSE_MILLIS = 200;

  /** How old a picture may become without an event: why a host waits changes without one. */
  private static final Duration WAIT = Duration.ofSeconds(5);

  private final DrydockClient client;
  private final PrintWriter err;
  private final int patienceSeconds;

  /** Up to here its events are in the pictures already given. */
  private Optional<String> cursor = Optional.empty();

  RolloutFollower(DrydockClient client, PrintWriter err, int patienceSeconds) {
    this.client = client;
    this.err = err;
    this.patienceSeconds = patienceSeconds;
  }

  /** The rollout now or after the next change, or as soon as the server answers again. */
  RolloutSnapshot next(String id) throws InterruptedException {
    long away = System.nanoTime();
    boolean told = false;
    while (true) {
      try {
        RolloutSnapshot now = look(id);
        if (told) {
          err.println("drydock: the server answers again");
        }
        return now;
      } catch (CallException e) {
        long seconds = (System.nanoTime() - away) / 1_000_000_000;
        if (!e.isTemporary()) {
          throw e;
        }
        if (seconds >= patienceSeconds) {
          throw new CommandFailure(
              ExitCode.TIMED_OUT,
              List.of(),
              "gave up after "
                  + seconds
                  + " s: "
                  + e.getMessage()
                  + "; the rollout goes on without this command");
        }
        if (!told) {
          err.println(
              "drydock: " + e.getMessage() + "; trying for up to " + patienceSeconds + " s");
          told = true;
        }
        // The next picture is taken at once: nobody told what happened meanwhile.
        cursor = Optional.empty();
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private RolloutSnapshot look(String id) throws InterruptedException {
    if (cursor.isPresent()) {
      Thread.sleep(PAUSE_MILLIS);
      cursor = Optional.of(changed(id, cursor.get()));
    } else {
      // Before the first picture: what happens while it is taken is then an event to come.
      cursor = Optional.of(client.cursorNow());
    }
    // The rollout first: hosts read after its end are all final.
    return new RolloutSnapshot(client.rollout(id), client.hostUpgrades(id));
  }

  /** Waits for something to happen; answers the cursor after it. */
  private String changed(String id, String after) {
    try {
      return client.events(after, id, WAIT).cursor();
    } catch (CallException e) {
      if (!e.code().equals("CursorGone")) {
        throw e;
      }
      return client.cursorNow();
    }
  }
}
