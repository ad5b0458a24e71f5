package dev.drydock.lock.soak;

import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** What a client works with for all its errands. */
record Tools(
    String name,
    Settings settings,
    Calls calls,
    History history,
    Register register,
    Random random,
    BooleanSupplier draining) {

  void tell(String what, String of, Map<String, Object> details) {
    history.tell(name, what, of, details);
  }
}
