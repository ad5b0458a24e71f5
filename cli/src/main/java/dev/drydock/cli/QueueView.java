package dev.drydock.cli;

import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.HostLock;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Objects;

/** Waits in the queue and tells a person how it goes: one line, drawn again on a terminal. */
final class QueueView implements HostLock.Look {
  private final PrintWriter err;
  private final boolean redraws;
  private String shown = "";

  QueueView(CliEnvironment around) {
    err = around.err();
    redraws = around.terminal();
  }

  /**
   * Waits for the turn.
   *
   * @throws CommandFailure when it was refused, or did not come in time
   */
  Lock await(HostLock lock, Duration longest) throws InterruptedException {
    Lock answer = lock.await(longest, this);
    if (redraws && !shown.isEmpty()) {
      err.println();
    }
    return switch (answer.getState()) {
      case Held -> answer;
      case Waiting -> throw failed(ExitCode.TIMED_OUT, "not granted in time", answer);
      default -> throw failed(ExitCode.REFUSED, "refused", answer);
    };
  }

  private static CommandFailure failed(int code, String what, Lock lock) {
    String left = lock.getState() == LockState.Waiting ? "; the queue was left" : "";
    return new CommandFailure(
        code, java.util.List.of(), what + ": " + lock.getExplanation() + left);
  }

  @Override
  public void waiting(Lock waiting) {
    show(
        "waiting for "
            + String.join(",", waiting.getHosts())
            + ", position "
            + Objects.toString(waiting.getPosition(), "?")
            + (waiting.getExplanation().isEmpty() ? "" : ": " + waiting.getExplanation()));
  }

  @Override
  public void away(CallException why) {
    show(why.getMessage() + "; asking again");
  }

  private void show(String text) {
    String change = redraws ? text : TextFormat.withoutAges(text);
    if (change.equals(shown)) {
      return;
    }
    shown = change;
    if (redraws) {
      err.print(
          "\r\u001b[2K" + TextFormat.fit("drydock: " + text, TerminalSize.read().columns() - 1));
      err.flush();
    } else {
      err.println("drydock: " + text);
    }
  }
}
