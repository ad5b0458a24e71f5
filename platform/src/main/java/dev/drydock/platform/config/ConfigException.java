package dev.drydock.platform.config;

import java.nio.file.Path;
import java.util.List;

/** A file the server cannot start with; carries every fault found in it. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> faults;

  public ConfigException(Path file, List<String> faults) {
    super(file + ": " + String.join("; ", faults), null, false, false);
    this.faults = List.copyOf(faults);
  }

  /** One sentence per fault, with its line where there is one. */
  public List<String> faults() {
    return faults;
  }
}
