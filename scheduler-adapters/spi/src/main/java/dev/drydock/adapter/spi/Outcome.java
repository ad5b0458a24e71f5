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
  record Failed(String message, Optional<Reading> reading, Cause cause) implements Outcome {
    public Failed(String message) {
      this(message, Cause.UNTOLD);
    }

    public Failed(String message, Cause cause) {
      this(message, Optional.empty(), cause);
    }

    public Failed(String message, Optional<Reading> reading) {
      this(message, reading, Cause.UNTOLD);
    }
  }

  /** The state of the host could not be read back. Nobody touches it before somebody did. */
  record Unknown(String message, Cause cause) implements Outcome {
    public Unknown(String message) {
      this(message, Cause.UNTOLD);
    }
  }
}
