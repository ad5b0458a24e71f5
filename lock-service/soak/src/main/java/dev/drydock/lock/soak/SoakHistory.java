package dev.drydock.lock.soak;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a process did and saw, one JSON object per line, each complete in the file before the next
 * thing is done. Times are nanoseconds of CLOCK_MONOTONIC, which all processes of a machine share.
 * Thread-safe.
 */
final class SoakHistory implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final BufferedWriter file;

  SoakHistory(Path path) {
    try {
      file = Files.newBufferedWriter(path);
    } catch (IOException failed) {
      throw new UncheckedIOException("cannot write " + path, failed);
    }
  }

  static long now() {
    return System.nanoTime();
  }

  /** Writes down {@code what} with its details, as of now. */
  void tell(String client, String what, String id, Map<String, Object> details) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("what", what);
    line.put("client", client);
    line.put("id", id);
    line.putAll(details);
    synchronized (file) {
      line.put("t", now());
      try {
        file.write(JSON.writeValueAsString(line));
        file.newLine();
        file.flush();
      } catch (IOException failed) {
        throw new UncheckedIOException("the history cannot be written", failed);
      }
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
