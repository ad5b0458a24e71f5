package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import dev.drydock.proto.client.CallException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Ends a command with an exit code and what a person reads on stderr: one line per fault, then one
 * sentence.
 */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitCode;
  private final transient List<String> faults;

  CommandFailure(int exitCode, List<String> faults, String sentence) {
    super(sentence);
    this.exitCode = exitCode;
    this.faults = List.copyOf(faults);
  }

  static CommandFailure usage(String sentence) {
    return new CommandFailure(ExitCode.USAGE, List.of(), sentence);
  }

  /** A wrong file: its faults, each with file and line, and what was not done because of them. */
  static CommandFailure input(List<String> faults, String undone) {
    return new CommandFailure(ExitCode.USAGE, faults, undone + ": " + count(faults.size()));
  }

  /**
   * The server's refusal.
   *
   * @param place turns the path and line of a detail into a place in what the user wrote
   */
  static CommandFailure of(CallException e, Function<ErrorDetail, String> place) {
    List<String> faults = new ArrayList<>();
    for (ErrorDetail detail : e.details()) {
      faults.add(place.apply(detail) + ": " + detail.getMessage());
    }
    return new CommandFailure(ExitCode.of(e), faults, e.getMessage() + hint(e));
  }

  static CommandFailure of(CallException e) {
    return of(e, ErrorDetail::getPath);
  }

  static String count(int faults) {
    return faults == 1 ? "1 error" : faults + " errors";
  }

  /** The same failure with something to add. */
  CommandFailure but(String more) {
    return new CommandFailure(exitCode, faults, getMessage() + "; " + more);
  }

  private static String hint(CallException e) {
    if (e.status() == 0 && e.code().equals(CallException.UNREACHABLE)) {
      return " (is the server up? see --url and DRYDOCK_URL)";
    }
    return e.status() == 401 ? " (see --token-file and DRYDOCK_TOKEN_FILE)" : "";
  }

  int exitCode() {
    return exitCode;
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>(faults);
    lines.add("drydock: " + getMessage());
    return lines;
  }
}
