package dev.drydock.cli.webhook;

import dev.drydock.api.Notification;
import dev.drydock.api.Subscription;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.NotificationPage;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Takes the notifications of a subscription one by one to a sink and acknowledges each after that:
 * whatever dies in between, the next one comes again, with the same id. It keeps nothing itself.
 * For one thread.
 */
public final class NotificationDelivery {
  private static final int AT_ONCE = 100;
  private static final Duration WAIT = Duration.ofSeconds(20);

  private final DrydockClient client;
  private final Sink sink;
  private final RetryDelays retryDelays;
  private final PrintWriter err;
  private Message.Context context;
  private String acknowledged = "";

  /** Where messages go. */
  public interface Sink {
    /** Returns once the message is done with: it is acknowledged then. */
    void take(Message message) throws InterruptedException;
  }

  public NotificationDelivery(
      DrydockClient client,
      Message.Context context,
      Sink sink,
      RetryDelays retryDelays,
      PrintWriter err) {
    this.client = client;
    this.context = context;
    this.sink = sink;
    this.retryDelays = retryDelays;
    this.err = err;
  }

  /** Goes on until it is interrupted, or nothing is left if {@code once}. */
  public void run(boolean once) throws InterruptedException {
    // Under its full name: messages of several teams may meet in one receiver.
    String id = answered(() -> client.subscription(context.subscription()).getId());
    context = context.of(id);
    boolean more = true;
    while (more || !once) {
      more = step(once ? Duration.ZERO : WAIT);
    }
  }

  /** Whether there was something. */
  private boolean step(Duration wait) throws InterruptedException {
    Optional<NotificationPage> page = answered(() -> pending(wait));
    if (page.isEmpty()) {
      passLost();
      return true;
    }
    for (Notification told : page.get().notifications()) {
      sink.take(Message.of(told, context));
      if (!acknowledge(told.getCursor())) {
        return true;
      }
    }
    // Also past what it does not want: a subscription that stands still falls behind what is kept.
    if (!page.get().cursor().equals(acknowledged)) {
      acknowledge(page.get().cursor());
    }
    return !page.get().notifications().isEmpty();
  }

  /** Empty if some of it was forgotten. */
  private Optional<NotificationPage> pending(Duration wait) {
    try {
      return Optional.of(client.pending(context.subscription(), AT_ONCE, wait));
    } catch (CallException e) {
      if (e.code().equals("CursorGone")) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private void passLost() throws InterruptedException {
    Subscription now = answered(() -> client.subscription(context.subscription()));
    String upTo = now.getLostUpTo();
    if (upTo != null) {
      Message lost = Message.lost(now, context);
      err.println("drydock: " + lost.reason());
      sink.take(lost);
      acknowledge(upTo);
    }
  }

  /** Whether that was right; if not, the next look tells where the subscription stands. */
  private boolean acknowledge(String cursor) throws InterruptedException {
    try {
      answered(
          () -> {
            client.acknowledge(context.subscription(), cursor);
            return cursor;
          });
      acknowledged = cursor;
      return true;
    } catch (CallException e) {
      if (e.status() != 409) {
        throw e;
      }
      // Another reader was faster, or the database was restored: neither is lost by going on.
      err.println("drydock: " + e.getMessage());
      return false;
    }
  }

  /** Through restarts of the server, however long they take. */
  private <T> T answered(Supplier<T> call) throws InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        T answer = call.get();
        if (attempt > 1) {
          err.println("drydock: the server answers again");
        }
        return answer;
      } catch (CallException e) {
        if (!e.isTemporary()) {
          throw e;
        }
        if (attempt == 1) {
          err.println("drydock: " + e.getMessage() + "; trying until it answers");
        }
        retryDelays.after(attempt);
      }
    }
  }
}
