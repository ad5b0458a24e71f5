package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.LockEnd;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Locks that the grantor in this process may end, if it begins with that soon. Thread-safe. */
final class Offer implements Doors.Departure {
  private final List<LockEnd> ends;
  private final CompletableFuture<Boolean> taken = new CompletableFuture<>();
  private final CompletableFuture<OptionalLong> done = new CompletableFuture<>();

  Offer(List<LockEnd> ends) {
    this.ends = ends;
  }

  /**
   * What became of it: the revision as of which they have ended, or empty when the grantor did not
   * and will not end them. Fails when nobody knows.
   *
   * @param patience how long the grantor has to begin
   */
  CompletableFuture<OptionalLong> outcome(Duration patience) {
    return taken
        .completeOnTimeout(false, patience.toMillis(), TimeUnit.MILLISECONDS)
        .thenCompose(
            began -> began ? done : CompletableFuture.completedFuture(OptionalLong.empty()));
  }

  @Override
  public List<LockEnd> ends() {
    return ends;
  }

  @Override
  public boolean wanted() {
    return !taken.isDone();
  }

  @Override
  public boolean claim() {
    return taken.complete(true);
  }

  @Override
  public void ended(long revision) {
    done.complete(OptionalLong.of(revision));
  }

  @Override
  public void turnedBack() {
    taken.complete(false);
    done.complete(OptionalLong.empty());
  }

  @Override
  public void unsettled() {
    done.completeExceptionally(new UnknownOutcomeException("hand over", null));
  }
}
