package dev.drydock.lock.etcd;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Loses answers and pauses the process, once each, at a transaction named by the test. */
final class Interference implements TransactionHook {
  private final AtomicReference<String> loseAnswerOf = new AtomicReference<>("");
  private final AtomicReference<String> loseRequestOf = new AtomicReference<>("");
  private final AtomicReference<String> pauseAt = new AtomicReference<>("");
  final CountDownLatch paused = new CountDownLatch(1);
  final CountDownLatch resume = new CountDownLatch(1);

  /** The transaction takes place, its answer does not arrive. */
  Interference losingAnswerOf(String transaction) {
    loseAnswerOf.set(transaction);
    return this;
  }

  /** The transaction never takes place, which its sender cannot know. */
  Interference losingRequestOf(String transaction) {
    loseRequestOf.set(transaction);
    return this;
  }

  /** Everything is decided; then the process stands still until {@link #resume}. */
  Interference pausingAt(String transaction) {
    pauseAt.set(transaction);
    return this;
  }

  boolean spent() {
    return (loseAnswerOf.get() + loseRequestOf.get() + pauseAt.get()).isEmpty();
  }

  @Override
  public void before(String transaction) {
    if (loseRequestOf.compareAndSet(transaction, "")) {
      throw new UnknownOutcomeException("request lost by the test", null);
    }
    if (pauseAt.compareAndSet(transaction, "")) {
      paused.countDown();
      try {
        if (!resume.await(60, TimeUnit.SECONDS)) {
          throw new IllegalStateException("the test never resumed the paused process");
        }
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void after(String transaction) {
    if (loseAnswerOf.compareAndSet(transaction, "")) {
      throw new UnknownOutcomeException("answer lost by the test", null);
    }
  }
}
