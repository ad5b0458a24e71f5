package dev.drydock.platform.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One open stream. Its source is asked for more only when the client took what was sent, so that a
 * slow client costs one batch of memory and never more.
 *
 * <p>Whatever happens (frames are ready, a write ended, the timer ticked) is a {@link #signal};
 * signals are worked off one after the other, by a thread that is borrowed for it.
 */
final class StreamConnection {
  private static final Logger log = LoggerFactory.getLogger(StreamConnection.class);
  private static final String COMMENT = ":\n\n";

  private final Response response;
  private final Callback callback;
  private final StreamSource.OpenStream stream;
  private final Executor sending;
  private final Consumer<StreamConnection> ended;
  private final long begun = System.nanoTime();
  private final AtomicInteger signals = new AtomicInteger();

  private volatile boolean writing;
  private volatile long writingSince;
  private volatile boolean quiet;
  private volatile boolean finishing;
  private volatile @Nullable Throwable failure;
  private boolean over;

  StreamConnection(
      Response response,
      Callback callback,
      StreamSource.OpenStream stream,
      Executor sending,
      Consumer<StreamConnection> ended) {
    this.response = response;
    this.callback = callback;
    this.stream = stream;
    this.sending = sending;
    this.ended = ended;
  }

  /** Sends the head of the answer at once: the client knows that it is heard. */
  void begin() {
    quiet = true;
    signal();
  }

  /** Ends it in order, after what is being sent. */
  void finish() {
    finishing = true;
    signal();
  }

  /** The timer: time for a heartbeat, to give up on the client, or to let it come back. */
  void tick(StreamPace pace) {
    long now = System.nanoTime();
    if (writing && now - writingSince > pace.patience().toNanos()) {
      failure = new TimeoutException("the client did not read for " + pace.patience());
    }
    if (now - begun > pace.lifetime().toNanos()) {
      finishing = true;
    }
    quiet = true;
    signal();
  }

  private void signal() {
    if (signals.getAndIncrement() == 0) {
      sending.execute(this::work);
    }
  }

  private void work() {
    int seen = signals.get();
    do {
      step();
      seen = signals.addAndGet(-seen);
    } while (seen != 0);
  }

  private void step() {
    if (over) {
      return;
    }
    Throwable failed = failure;
    if (failed != null) {
      end();
      callback.failed(failed);
    } else if (!writing) {
      if (finishing) {
        end();
        callback.succeeded();
      } else {
        send();
      }
    }
  }

  private void send() {
    try {
      List<StreamSource.Frame> frames = stream.next(this::signal);
      if (!frames.isEmpty()) {
        write(text(frames));
      } else if (quiet) {
        write(COMMENT);
      }
    } catch (RuntimeException failed) {
      if (!(failed instanceof ApiException)) {
        log.warn("a stream ends, its client has to come back", failed);
      }
      end();
      callback.succeeded();
    }
  }

  private void write(String text) {
    quiet = false;
    writingSince = System.nanoTime();
    writing = true;
    response.write(
        false,
        ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)),
        Callback.from(
            InvocationType.NON_BLOCKING,
            () -> {
              writing = false;
              signal();
            },
            lost -> {
              failure = lost;
              signal();
            }));
  }

  private void end() {
    over = true;
    stream.close();
    ended.accept(this);
  }

  private static String text(List<StreamSource.Frame> frames) {
    StringBuilder text = new StringBuilder();
    for (StreamSource.Frame frame : frames) {
      text.append("id: ").append(frame.id()).append('\n');
      text.append("event: ").append(frame.event()).append('\n');
      text.append("data: ").append(frame.data()).append("\n\n");
    }
    return text.toString();
  }
}
