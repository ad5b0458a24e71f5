package dev.drydock.orchestrator.events;

import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Calls that wait for an event. None of them keeps a thread while it waits. */
public final class LongPolls implements AutoCloseable {
  private static final int POLLS_MAX = 2000;

  private final ExecutorService answering = Executors.newVirtualThreadPerTaskExecutor();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("event-polls").factory());
  private final Set<Poll> open = ConcurrentHashMap.newKeySet();
  private volatile boolean ending;

  LongPolls() {
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Comes as soon as there is an event, or with none when the wait is over, in any thread. */
  public CompletableFuture<FeedPage> poll(FeedReader reader, int count, Duration wait) {
    if (open.size() >= POLLS_MAX) {
      throw new ApiException(
          HttpStatus.UNAVAILABLE,
          "BUSY",
          POLLS_MAX + " calls wait for events here already; try again in a second, or use a stream",
          List.of());
    }
    Poll poll = new Poll(reader, count);
    open.add(poll);
    boolean last = wait.isZero() || ending;
    if (!last) {
      poll.until =
          timer.schedule(
              () -> answering.execute(() -> poll.look(true)),
              wait.toMillis(),
              TimeUnit.MILLISECONDS);
    }
    poll.look(last);
    return poll.answer;
  }

  /** How many wait now. */
  public int open() {
    return open.size();
  }

  private final class Poll {
    private final FeedReader reader;
    private final int count;
    private final CompletableFuture<FeedPage> answer = new CompletableFuture<>();
    private volatile @Nullable Future<?> until;

    Poll(FeedReader reader, int count) {
      this.reader = reader;
      this.count = count;
    }

    synchronized void look(boolean last) {
      if (answer.isDone()) {
        return;
      }
      try {
        FeedPage feedPage = reader.next(count, () -> answering.execute(() -> look(false)));
        if (last || !feedPage.events().isEmpty()) {
          end();
          answer.complete(feedPage);
        }
      } catch (RuntimeException failed) {
        end();
        answer.completeExceptionally(failed);
      }
    }

    private void end() {
      reader.close();
      open.remove(this);
      Future<?> timeout = until;
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
  }

  /** Answers all that wait with what there is; from now on nothing waits. */
  public void end() {
    ending = true;
    open.forEach(poll -> poll.look(true));
  }

  @Override
  public void close() {
    end();
    timer.shutdownNow();
  }
}
