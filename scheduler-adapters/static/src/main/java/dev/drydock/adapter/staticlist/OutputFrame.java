package dev.drydock.adapter.staticlist;

import java.util.Optional;
import java.util.UUID;

/**
 * Lines around what a command prints, which nobody else can know: what the shell of a host says
 * when it starts or ends is no answer.
 */
record OutputFrame(String begin, String end) {
  private static final String SCRIPT =
      "printf '%s\\n' \"$1\"; sh -c \"$3\"; code=$?; printf '\\n%s\\n' \"$2\"; exit $code";

  static OutputFrame fresh() {
    String nonce = UUID.randomUUID().toString();
    return new OutputFrame("begin-" + nonce, "end-" + nonce);
  }

  /** For any shell; it ends with the code of the command. */
  String around(String command) {
    return "exec sh -c %s framed %s %s %s"
        .formatted(Hostrun.quote(SCRIPT), begin, end, Hostrun.quote(command));
  }

  /** What the command printed; empty where it did not run, or not to its end. */
  Optional<String> open(String output) {
    int from = output.indexOf(begin + "\n");
    int to = output.indexOf("\n" + end, Math.max(0, from));
    return from < 0 || to < 0
        ? Optional.empty()
        : Optional.of(output.substring(Math.min(to, from + begin.length() + 1), to));
  }
}
