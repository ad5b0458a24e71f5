package dev.drydock.lock.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Reads etcd's revision, linearizably, for many at once: whoever asks while one read is on its way
 * shares the next one. Thread-safe.
 */
final class RevisionReader {
  private final EtcdConnection etcd;
  private boolean busy;
  private @Nullable CompletableFuture<Long> next;

  RevisionReader(EtcdConnection etcd) {
    this.etcd = etcd;
  }

  /** The revision at some moment during this call, or later. */
  long now() {
    CompletableFuture<Long> mine;
    synchronized (this) {
      if (busy) {
        if (next == null) {
          next = new CompletableFuture<>();
        }
        mine = next;
      } else {
        busy = true;
        mine = new CompletableFuture<>();
        read(mine);
      }
    }
    try {
      return mine.join();
    } catch (CompletionException failed) {
      if (failed.getCause() instanceof UnknownOutcomeException unknown) {
        throw new UnknownOutcomeException(String.valueOf(unknown.getMessage()), failed);
      }
      throw failed;
    }
  }

  private void read(CompletableFuture<Long> into) {
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                into.complete(etcd.repeat(etcd::revision));
              } catch (RuntimeException | Error failed) {
                into.completeExceptionally(failed);
              } finally {
                again();
              }
            });
  }

  private synchronized void again() {
    CompletableFuture<Long> waiting = next;
    next = null;
    busy = waiting != null;
    if (waiting != null) {
      read(waiting);
    }
  }
}
