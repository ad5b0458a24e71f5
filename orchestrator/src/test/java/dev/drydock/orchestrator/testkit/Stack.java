package dev.drydock.orchestrator.testkit;

import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Where the servers of this checkout's stack are. */
public final class Stack {
  private Stack() {}

  /** The port of a server. */
  public static int port(String server) {
    Map<?, ?> ports =
        (Map<?, ?>) Json.readTree(read(directory().resolve("instance.json"))).get("ports");
    return ((Number) ports.get(server)).intValue();
  }

  public static String postgresPassword() {
    return read(directory().resolve("pg/secret/postgres"));
  }

  private static Path directory() {
    String given = System.getProperty("drydock.instance", "");
    if (!given.isEmpty()) {
      return Path.of(given).toAbsolutePath().getParent();
    }
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      if (Files.exists(at.resolve(".drydock/instance.json"))) {
        return at.resolve(".drydock");
      }
    }
    throw new IllegalStateException("no .drydock/instance.json here or above: run make up first");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file).strip();
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + file, unreadable);
    }
  }
}
