package dev.drydock.cli;

import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import java.io.PrintWriter;
import java.util.List;

/** Polls a rollout, and goes on through a restart of the server for as long as its budget lasts. */
final class Follower {
  private static final long POLL_MILLIS = 500;

  private final DrydockClient client;
  private final PrintWriter err;
  private final int patienceSeconds;
  private boolean first = true;

  Follower(DrydockClient client, PrintWriter err, int patienceSeconds) {
    this.client = client;
    this.err = err;
    this.patienceSeconds = patienceSeconds;
  }

  /** The rollout now, or as soon as the server answers again. */
  Snapshot next(String id) throws InterruptedException {
    if (!first) {
      Thread.sleep(POLL_MILLIS);
    }
    first = false;
    long away = System.nanoTime();
    boolean told = false;
    while (true) {
      try {
        // The rollout first: hosts read after its end are all final.
        Snapshot now = new Snapshot(client.rollout(id), client.hostUpgrades(id));
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
          throw new Failure(
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
        Thread.sleep(POLL_MILLIS);
      }
    }
  }
}
