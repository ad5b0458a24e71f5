package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.HostLock;
import dev.drydock.proto.client.LeaseKeeper;
import dev.drydock.proto.clock.BootClock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a command asks the lock service for. It is given back when this is closed and when this
 * process is told to end, unless it was left to somebody before: what nobody knows of nobody ends.
 */
final class CommandLock implements AutoCloseable {
  private final CliEnvironment around;
  private final HostLock lock;
  private final Thread told = Thread.ofPlatform().unstarted(this::end);
  private @Nullable GuardedCommand work;
  private boolean over;

  /**
   * Nothing is asked yet.
   *
   * @param client without retries of its own
   */
  CommandLock(CliEnvironment around, DrydockClient client, TicketRequest request) {
    this.around = around;
    this.lock = HostLock.of(client, request, BootClock.system());
    Runtime.getRuntime().addShutdownHook(told);
  }

  /**
   * Asks, and waits for the turn.
   *
   * @throws CommandFailure when it was refused, or did not come in time
   */
  Lock await(Duration longest) throws InterruptedException {
    try {
      return new QueueView(around).await(lock, longest);
    } catch (CallException e) {
      CommandFailure commandFailure = CommandFailure.of(e, LockTermsOptions::place);
      if (!e.isTemporary() || longest.isZero()) {
        throw commandFailure;
      }
      throw new CommandFailure(
          ExitCode.TIMED_OUT, List.of(), "not granted in time: " + commandFailure.getMessage());
    }
  }

  LeaseKeeper renewing(Duration margin, LeaseKeeper.Listener listener) throws InterruptedException {
    return lock.keep(margin, listener);
  }

  /** Begins what is ended before the lock is: not while that ends, nor afterwards. */
  synchronized GuardedCommand begin(Supplier<GuardedCommand> start) {
    refuseIfOver();
    GuardedCommand begun = start.get();
    work = begun;
    return begun;
  }

  /** It was told to somebody, who ends it. */
  synchronized void leave() {
    refuseIfOver();
    over = true;
  }

  private void refuseIfOver() {
    if (over) {
      throw new CommandFailure(
          ExitCode.FAILED, List.of(), "told to end: the hosts were given back");
    }
  }

  /** Once: the work first, then the lock. */
  private synchronized void end() {
    if (over) {
      return;
    }
    over = true;
    if (work != null) {
      work.close();
    }
    try {
      lock.release("its command ended");
    } catch (CallException failed) {
      around
          .err()
          .printf(
              "drydock: %s could not be given back: %s; drydock lock list tells whether it stands,"
                  + " drydock lock release %s ends it%n",
              lock.id().map(id -> "lock " + id).orElse("what was asked for"),
              failed.getMessage(),
              lock.id().orElse("ID"));
    }
  }

  @Override
  public void close() {
    end();
    try {
      Runtime.getRuntime().removeShutdownHook(told);
    } catch (IllegalStateException ending) {
      // It runs already, and what it does was waited for here.
      return;
    }
  }
}
