package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A line for every change of one lock, until it is over, or of all, until interrupted. */
@Command(
    name = "watch",
    description = "Follow one lock or ticket to its end, or all of them.",
    mixinStandardHelpOptions = true)
final class LockWatch implements Callable<Integer> {
  private static final long PAUSE_MILLIS = 1_000;
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

  private final Map<String, String> shown = new LinkedHashMap<>();

  @Mixin final Connection connection;
  @Mixin final Output output;
  @Mixin final WatchRetryBudget patience = new WatchRetryBudget();

  @Parameters(arity = "0..1", paramLabel = "ID", description = "The lock or ticket (default: all).")
  @Nullable String id;

  LockWatch(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() throws InterruptedException {
    String one = id;
    try (DrydockClient client = connection.openWithoutRetries()) {
      long answered = System.nanoTime();
      while (true) {
        try {
          List<Lock> now = one == null ? client.locks() : List.of(client.lock(one));
          answered = System.nanoTime();
          now.forEach(this::show);
          gone(now, client);
          if (one != null && over(now.getFirst())) {
            return ExitCode.OK;
          }
        } catch (CallException e) {
          boolean forgotten = one != null && e.status() == 404 && !shown.isEmpty();
          if (forgotten) {
            return ExitCode.OK;
          }
          if (!e.isTemporary()
              || System.nanoTime() - answered > patience.seconds * 1_000_000_000L) {
            throw e;
          }
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  private static boolean over(Lock lock) {
    return switch (lock.getState()) {
      case Ended, Refused -> true;
      case Waiting, Held, Lapsed, $UNKNOWN -> false;
    };
  }

  private void show(Lock lock) {
    String text = describe(lock);
    String change = TextFormat.withoutAges(text);
    if (change.equals(shown.put(lock.getId(), change))) {
      return;
    }
    if (output.format == Format.JSONL) {
      output.line(TreeWriter.json(WireCollections.tree(lock)));
    } else {
      say(lock.getId() + " " + text);
    }
  }

  /** What is in no list any more has ended; how, is known for some minutes. */
  private void gone(List<Lock> now, DrydockClient client) {
    List<String> left =
        shown.keySet().stream()
            .filter(known -> now.stream().noneMatch(lock -> lock.getId().equals(known)))
            .toList();
    for (String ended : left) {
      try {
        show(client.lock(ended));
      } catch (CallException forgotten) {
        if (output.format != Format.JSONL) {
          say(ended + " is gone");
        }
      }
      shown.remove(ended);
    }
  }

  private void say(String text) {
    output.line(LocalTime.now().format(TIME) + " " + text);
  }

  private static String describe(Lock lock) {
    String place =
        lock.getPosition() == null ? "" : ", position " + Objects.toString(lock.getPosition());
    boolean held = lock.getState() == LockState.Held;
    String said =
        lock.getExplanation().isEmpty() && held ? lock.getReason() : lock.getExplanation();
    String why = said.isEmpty() ? "" : ": " + said;
    boolean quarantined = held && lock.getKind() == LockKind.Quarantine;
    return (quarantined ? "Quarantined" : TableViews.state(lock))
        + " "
        + String.join(",", lock.getHosts())
        + " by "
        + lock.getHolder()
        + place
        + why;
  }
}
