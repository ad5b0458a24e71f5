package dev.drydock.cli;

import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Waits for hosts and leaves them locked. Nobody renews the lock: it lives for its lease. */
@Command(
    name = "acquire",
    description = "Wait for hosts and lock them, all or none; print the lock.",
    mixinStandardHelpOptions = true)
final class LockAcquire implements Callable<Integer> {
  private static final Duration LEASE_DEFAULT = Duration.ofMinutes(10);
  private static final Duration LEASE_MAX = Duration.ofHours(1);

  private final CliEnvironment around;

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final SessionLockOptions wanted = new SessionLockOptions();

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      converter = DurationParser.class,
      description =
          "The lock ends when it is not renewed for so long, and excludes others for as long again"
              + " unless released (default: --max, else 10m).")
  @Nullable Duration lease;

  LockAcquire(CliEnvironment around) {
    this.around = around;
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    try (DrydockClient asking = connection.openWithoutRetries();
        DrydockClient client = connection.open();
        CommandLock commandLock = new CommandLock(around, asking, wanted.request(lease()))) {
      String id = commandLock.await(wanted.terms.wait).getId();
      // From here the lease counts.
      client.renewLock(id);
      output.one(client.lock(id), TableViews.LOCKS, WireCollections::tree);
      commandLock.leave();
      String span = TextFormat.duration(lease().toMillis());
      around
          .err()
          .println(
              "drydock: ends in "
                  + span
                  + " unless renewed (drydock lock renew "
                  + id
                  + "); others get its hosts "
                  + span
                  + " later, or at once by drydock lock release "
                  + id);
      return ExitCode.OK;
    } catch (CallException e) {
      throw CommandFailure.of(e, LockTermsOptions::place);
    }
  }

  private Duration lease() {
    Duration given = lease;
    if (given != null) {
      return given;
    }
    if (wanted.terms.max.isZero()) {
      return LEASE_DEFAULT;
    }
    return wanted.terms.max.compareTo(LEASE_MAX) < 0 ? wanted.terms.max : LEASE_MAX;
  }
}
