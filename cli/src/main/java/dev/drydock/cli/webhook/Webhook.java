package dev.drydock.cli.webhook;

import dev.drydock.cli.webhook.Receiver.Outcome;
import dev.drydock.proto.crash.CrashPoint;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;

/**
 * Delivers messages to a receiver, in their order: repeats until it takes one, passes over what it
 * will never take and counts that. For one thread.
 */
public final class Webhook implements NotificationDelivery.Sink {
  private final Receiver receiver;
  private final BodyShape shape;
  private final RetryDelays retryDelays;
  private final Duration patience;
  private final PrintWriter err;
  private long delivered;
  private long skipped;

  /**
   * A webhook.
   *
   * @param patience how long one message is tried
   */
  public Webhook(
      Receiver receiver,
      BodyShape shape,
      RetryDelays retryDelays,
      Duration patience,
      PrintWriter err) {
    this.receiver = receiver;
    this.shape = shape;
    this.retryDelays = retryDelays;
    this.patience = patience;
    this.err = err;
  }

  /** A receiver took nothing for longer than the patience with it. */
  public static final class GaveUp extends RuntimeException {
    private static final long serialVersionUID = 1;

    GaveUp(String why) {
      super(why);
    }
  }

  /** How many the receiver took. */
  public long delivered() {
    return delivered;
  }

  /** How many it will never take. */
  public long skipped() {
    return skipped;
  }

  /**
   * Sends it until the receiver answers.
   *
   * @throws GaveUp if that takes too long; the message is not done with
   */
  @Override
  public void take(Message message) throws InterruptedException {
    Optional<String> body = shape.body(message);
    if (body.isEmpty()) {
      return;
    }
    long begun = System.nanoTime();
    for (int attempt = 1; ; attempt++) {
      switch (receiver.post(message.id(), body.get())) {
        case Outcome.Taken() -> {
          delivered++;
          CrashPoint.reach("deliver-posted");
          return;
        }
        case Outcome.Refused(String why) -> {
          skipped++;
          err.printf(
              "drydock: skipped %s (%s), %d so far: %s%n",
              message.id(), message.headline(), skipped, why);
          return;
        }
        case Outcome.Unclear(String why) -> {
          if (attempt == 1) {
            err.println("drydock: " + message.headline() + " is not delivered yet: " + why);
          }
          if (System.nanoTime() - begun >= patience.toNanos()) {
            throw new GaveUp(
                "gave up after %d s and %d attempts to deliver %s: %s; it stays pending"
                    .formatted(patience.toSeconds(), attempt, message.id(), why));
          }
          retryDelays.after(attempt);
        }
      }
    }
  }
}
