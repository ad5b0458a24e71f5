package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.LeaseKeeper;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs a command while it holds hosts. The command ends before the lock can: its process group gets
 * TERM a third of the lease before that, and KILL soon after.
 */
@Command(
    name = "run",
    description = {
      "Wait for hosts, run a command while they are locked, and release them.",
      "The command finds DRYDOCK_LOCK_ID, DRYDOCK_LOCK_TOKEN and DRYDOCK_LOCK_HOSTS in its"
          + " environment. When the lock is lost its process group is ended."
    },
    customSynopsis = "drydock lock run HOST... --reason TEXT [OPTIONS] -- COMMAND...",
    mixinStandardHelpOptions = true)
final class LockRun implements Callable<Integer> {
  private static final Duration LEASE_MIN = Duration.ofSeconds(6);

  private final CliEnvironment around;
  private final List<String> command;

  @Mixin final Connection connection;
  @Mixin final SessionLockOptions wanted = new SessionLockOptions();

  @Option(
      names = "--lease",
      paramLabel = "TIME",
      defaultValue = "15s",
      converter = DurationParser.class,
      description = "Length of the lease, renewed while the command runs (default: 15s).")
  Duration lease = Duration.ofSeconds(15);

  /**
   * A run.
   *
   * @param command what stood behind {@code --}
   */
  LockRun(CliEnvironment around, List<String> command) {
    this.around = around;
    this.command = List.copyOf(command);
    this.connection = new Connection(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    if (command.isEmpty()) {
      throw CommandFailure.usage("name the command to run behind --");
    }
    if (!GuardedCommand.exists(command.getFirst(), around.variable("PATH"))) {
      throw CommandFailure.usage("there is no program " + command.getFirst());
    }
    if (lease.compareTo(LEASE_MIN) < 0) {
      throw CommandFailure.usage("--lease is at least " + LEASE_MIN.toSeconds() + "s");
    }
    try (DrydockClient client = new DrydockClient(config());
        CommandLock commandLock = new CommandLock(around, client, wanted.request(lease))) {
      return new Run(commandLock).call();
    } catch (CallException e) {
      throw CommandFailure.of(e, LockTermsOptions::place);
    }
  }

  /** A call that hangs must not keep a renewal from being sent again. */
  private ClientConfig config() {
    Duration call = lease.dividedBy(5);
    return connection
        .config()
        .withRetryBudget(Duration.ZERO)
        .withCallTimeout(
            call.compareTo(Duration.ofSeconds(12)) < 0 ? call : Duration.ofSeconds(10));
  }

  /** From the ticket to the end of the command. */
  private final class Run implements LeaseKeeper.Listener {
    private final CommandLock commandLock;
    private final AtomicReference<@Nullable GuardedCommand> running = new AtomicReference<>();
    private final AtomicReference<String> lost = new AtomicReference<>("");

    Run(CommandLock commandLock) {
      this.commandLock = commandLock;
    }

    int call() throws InterruptedException {
      Lock held = commandLock.await(wanted.terms.wait);
      int code;
      try (LeaseKeeper keeper = commandLock.renewing(lease.dividedBy(3), this)) {
        GuardedCommand started = commandLock.begin(() -> start(held));
        code = started.await();
        started.close();
        if (started.fellSilent()) {
          lost.compareAndSet("", "it could not be renewed in time");
        }
      }
      if (!lost.get().isEmpty()) {
        throw new CommandFailure(
            ExitCode.DEGRADED,
            List.of(),
            "lock " + held.getId() + " was lost, and the command ended: " + lost.get());
      }
      return code;
    }

    @Override
    public void held(Duration left) {
      GuardedCommand now = running.get();
      if (now != null) {
        now.goOn(left);
      }
    }

    @Override
    public void lost(String why) {
      lost.set(why);
      GuardedCommand now = running.get();
      if (now != null) {
        now.close();
      }
    }

    private GuardedCommand start(Lock held) {
      GuardedCommand started =
          new GuardedCommand(command, variables(held), lease.dividedBy(5), lease.dividedBy(2));
      running.set(started);
      if (!lost.get().isEmpty()) {
        started.close();
      }
      return started;
    }

    private Map<String, String> variables(Lock held) {
      Map<String, String> variables = new HashMap<>();
      variables.put("DRYDOCK_LOCK_ID", held.getId());
      variables.put("DRYDOCK_LOCK_TOKEN", Objects.toString(held.getToken(), ""));
      variables.put("DRYDOCK_LOCK_HOSTS", String.join(",", held.getHosts()));
      return variables;
    }
  }
}
