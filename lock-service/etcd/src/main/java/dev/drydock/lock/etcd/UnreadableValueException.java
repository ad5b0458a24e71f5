package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.KeyValue;
import java.util.stream.Collectors;

/** A key under the root has a value that does not belong there; nobody but a person mends that. */
public final class UnreadableValueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnreadableValueException(KeyValue found, RuntimeException why) {
    super(
        "etcd key "
            + found.getKey().toString(UTF_8)
            + " has a value that cannot be read ("
            + printable(String.valueOf(why.getMessage()))
            + "): put the right value back or delete the key, with etcdctl",
        why);
  }

  /** The message quotes the value, which may be anything: logs and databases do not take it all. */
  private static String printable(String text) {
    return text.codePoints()
        .mapToObj(c -> Character.isISOControl(c) ? "\\u%04x".formatted(c) : Character.toString(c))
        .collect(Collectors.joining());
  }
}
