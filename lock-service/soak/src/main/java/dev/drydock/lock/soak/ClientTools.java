package dev.drydock.lock.soak;

import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** What a client works with for all its errands. */
record ClientTools(
    String name,
    SoakSettings settings,
    Calls calls,
    SoakHistory history,
    EffectRegister register,
    Random random,
    BooleanSupplier draining) {

  void tell(String what, String of, Map<String, Object> details) {
    history.tell(name, what, of, details);
  }
}
