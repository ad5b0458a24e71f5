package dev.drydock.impact.fleet;

import java.util.List;

/** A file that cannot be used, with everything found wrong with it; each fault tells its place. */
public final class InvalidInputException extends Exception {
  private static final long serialVersionUID = 1;

  private final transient List<String> faults;

  public InvalidInputException(List<String> faults) {
    super(String.join("\n", faults));
    this.faults = List.copyOf(faults);
  }

  public List<String> faults() {
    return faults;
  }
}
