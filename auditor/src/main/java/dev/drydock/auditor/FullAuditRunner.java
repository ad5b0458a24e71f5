package dev.drydock.auditor;

import dev.drydock.auditor.core.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Audits of whole rollouts, each in a thread of its own: who asks for one gets an answer within a
 * bound, whatever becomes of it. For one thread.
 */
final class FullAuditRunner {
  private static final Logger log = LoggerFactory.getLogger(FullAuditRunner.class);
  private static final Duration LOOKS_EVERY = Duration.ofSeconds(1);

  private final Function<String, List<Finding>> audit;
  private final Duration most;
  private final Runnable meanwhile;

  /**
   * @param audit of a rollout; should end when its thread is interrupted
   * @param most how long one may take
   * @param meanwhile is done every second while one runs
   */
  FullAuditRunner(Function<String, List<Finding>> audit, Duration most, Runnable meanwhile) {
    this.audit = audit;
    this.most = most;
    this.meanwhile = meanwhile;
  }

  /**
   * What an audit came to.
   *
   * @param unknown why nothing is found; empty if it was audited
   */
  record Outcome(List<Finding> findings, Optional<String> unknown) {}

  /**
   * @throws IllegalStateException when the thread that asks is interrupted
   */
  Outcome of(String rollout) {
    FutureTask<List<Finding>> running = new FutureTask<>(() -> audit.apply(rollout));
    Thread.ofPlatform().daemon().name("audit of " + rollout).start(running);
    try {
      return new Outcome(awaited(running), Optional.empty());
    } catch (ExecutionException failed) {
      log.error("could not audit rollout {}, going on without it", rollout, failed.getCause());
      return unknown("the auditor failed over it: " + failed.getCause());
    } catch (TimeoutException late) {
      log.error("the audit of rollout {} takes longer than {}, going on without it", rollout, most);
      return unknown(
          "the auditor failed over it: it takes longer than %d s".formatted(most.toSeconds()));
    } catch (InterruptedException ends) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted in the audit of rollout " + rollout, ends);
    } finally {
      running.cancel(true);
    }
  }

  private List<Finding> awaited(FutureTask<List<Finding>> running)
      throws ExecutionException, InterruptedException, TimeoutException {
    long end = System.nanoTime() + most.toNanos();
    while (true) {
      long left = Math.min(LOOKS_EVERY.toNanos(), end - System.nanoTime());
      try {
        return running.get(Math.max(0, left), TimeUnit.NANOSECONDS);
      } catch (TimeoutException late) {
        if (System.nanoTime() - end >= 0) {
          throw late;
        }
        meanwhile.run();
      }
    }
  }

  private static Outcome unknown(String why) {
    return new Outcome(List.of(), Optional.of(why));
  }
}
