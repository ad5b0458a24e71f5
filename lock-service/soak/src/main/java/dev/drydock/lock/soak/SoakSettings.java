package dev.drydock.lock.soak;

import dev.drydock.lock.core.Backfill;
import dev.drydock.lock.etcd.EtcdConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What one process was told on its command line, as {@code name=value}. */
record SoakSettings(Map<String, String> values) {
  private static final int MAX_TXN_OPS = 256;

  static SoakSettings of(List<String> arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : arguments) {
      String[] parts = argument.split("=", 2);
      if (parts.length != 2) {
        throw new IllegalArgumentException("'" + argument + "' is not name=value");
      }
      values.put(parts[0], parts[1]);
    }
    return new SoakSettings(Map.copyOf(values));
  }

  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("'" + name + "=' is missing on the command line");
    }
    return value;
  }

  int number(String name) {
    return Integer.parseInt(text(name));
  }

  Path path(String name) {
    return Path.of(text(name));
  }

  /** Name of the process, unique in the run. */
  String process() {
    return text("process");
  }

  SoakHosts places() {
    return SoakHosts.of(number("hosts"), number("quiet"));
  }

  /** Where the servers' API is. */
  List<URI> servers() {
    return Arrays.stream(text("servers").split(",")).map(URI::create).toList();
  }

  /**
   * As a server has it, but for few operations: the start of many processes at once asks for all.
   */
  EtcdConfig etcd() {
    return new EtcdConfig(
        Arrays.stream(text("endpoints").split(",")).map(URI::create).toList(),
        text("root"),
        MAX_TXN_OPS,
        Duration.ofSeconds(number("grantorLeaseSeconds")),
        Duration.ofSeconds(2),
        Duration.ofSeconds(60),
        new Backfill(
            Duration.ofSeconds(number("passedSeconds")),
            Duration.ofSeconds(number("marginSeconds"))));
  }
}
