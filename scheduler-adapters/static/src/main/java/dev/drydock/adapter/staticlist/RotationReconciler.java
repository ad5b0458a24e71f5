package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The rotation as a step uses it: reads first, changes only what is not as wanted, reads again
 * until it is, and bears a balancer that is away for a moment.
 */
final class RotationReconciler {
  /** Longer than a restart of the balancer. */
  private static final int TRIES = 30;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Rotation rotation;
  private final PollDelay pollDelay;

  RotationReconciler(Rotation rotation, PollDelay pollDelay) {
    this.rotation = rotation;
    this.pollDelay = pollDelay;
  }

  Rotation.Snapshot read() throws IOException, InterruptedException {
    return again(rotation::read);
  }

  /**
   * Returns when two looks in a row saw the same: what an earlier attempt sent has arrived by then.
   * The rotation would not refuse it, as hosts do.
   */
  void awaitQuiet(List<FixedInstance> instances) throws IOException, InterruptedException {
    List<FixedInstance> before = different(instances, true, read());
    for (int tried = 1; tried <= TRIES; tried++) {
      pollDelay.pause(PAUSE);
      List<FixedInstance> now = different(instances, true, read());
      if (now.equals(before)) {
        return;
      }
      before = now;
    }
    throw new IOException(
        "the places of "
            + instances.stream().map(FixedInstance::id).toList()
            + " in the rotation keep changing; somebody else sets them");
  }

  /** Returns when all of them are as wanted. */
  Rotation.Snapshot set(ClaimedStep claimedStep, List<FixedInstance> instances, boolean serving)
      throws IOException, InterruptedException {
    return again(
        () -> {
          for (FixedInstance instance : different(instances, serving, rotation.read())) {
            if (serving) {
              rotation.ready(instance, claimedStep.lease());
            } else {
              rotation.drain(instance, claimedStep.lease());
            }
            claimedStep.begun(serving ? "rotation-in" : "rotation-out");
          }
          Rotation.Snapshot after = rotation.read();
          List<FixedInstance> left = different(instances, serving, after);
          if (!left.isEmpty()) {
            throw new IOException(
                left.getFirst().id()
                    + " is still "
                    + (serving ? "out of" : "in")
                    + " rotation after it was changed");
          }
          return after;
        });
  }

  private static List<FixedInstance> different(
      List<FixedInstance> instances, boolean serving, Rotation.Snapshot now) {
    return instances.stream().filter(instance -> now.serves(instance) != serving).toList();
  }

  private interface Look {
    Rotation.Snapshot look() throws IOException;
  }

  private Rotation.Snapshot again(Look look) throws IOException, InterruptedException {
    for (int tried = 1; ; tried++) {
      try {
        return look.look();
      } catch (IOException e) {
        if (tried == TRIES) {
          throw e;
        }
      }
      pollDelay.pause(PAUSE);
    }
  }
}
