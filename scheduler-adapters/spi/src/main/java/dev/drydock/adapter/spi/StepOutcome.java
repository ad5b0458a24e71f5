package dev.drydock.adapter.spi;

import java.util.Map;
import java.util.Optional;

/** How a step ended. */
public sealed interface StepOutcome {
  /** One sentence: what was done or what failed, naming the object. */
  String message();

  /**
   * Done and verified.
   *
   * @param facts kept on the host upgrade and handed to later steps
   */
  record Done(String message, Map<String, String> facts, Optional<HostReading> reading)
      implements StepOutcome {
    public Done {
      facts = Map.copyOf(facts);
    }
  }

  /**
   * Not done; the host was read back, so its state is known and the step's counterpart can put it
   * right.
   */
  record Failed(String message, Optional<HostReading> reading, FailureCause cause)
      implements StepOutcome {
    public Failed(String message) {
      this(message, FailureCause.UNTOLD);
    }

    public Failed(String message, FailureCause cause) {
      this(message, Optional.empty(), cause);
    }

    public Failed(String message, Optional<HostReading> reading) {
      this(message, reading, FailureCause.UNTOLD);
    }
  }

  /** The state of the host could not be read back. Nobody touches it before somebody did. */
  record Unknown(String message, FailureCause cause) implements StepOutcome {
    public Unknown(String message) {
      this(message, FailureCause.UNTOLD);
    }
  }
}
