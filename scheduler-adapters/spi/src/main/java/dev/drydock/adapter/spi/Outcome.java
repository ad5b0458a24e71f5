package dev.drydock.adapter.spi;

import java.util.Map;
import java.util.Optional;

/** How a step ended. */
public sealed interface Outcome {
  /** One sentence: what was done or what failed, naming the object. */
  String message();

  /**
   * Done and verified.
   *
   * @param facts kept on the host upgrade and handed to later steps
   */
  record Done(String message, Map<String, String> facts, Optional<Reading> reading)
      implements Outcome {
    public Done {
      facts = Map.copyOf(facts);
    }
  }

  /**
   * Not done; the host was read back, so its state is known and the step's counterpart can put it
   * right.
   */
  record Failed(String message, Optional<Reading> reading) implements Outcome {
    public Failed(String message) {
      this(message, Optional.empty());
    }
  }

  /** The state of the host could not be read back. Nobody touches it before somebody did. */
  record Unknown(String message) implements Outcome {}
}
