package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Asks instances themselves how they are. Answers for all of them within about a second.
 * Thread-safe.
 */
interface Prober {
  /** What an instance said. */
  sealed interface Health {
    /**
     * It takes requests.
     *
     * @param open so many are open
     * @param bootId another one after every start of its host; null when it does not say
     */
    record Ready(int open, @Nullable String bootId) implements Health {}

    /** It answers, but takes no requests or is not the instance it should be. */
    record NotReady(int open, String why) implements Health {}

    /** Nothing listens there. */
    record Absent(String why) implements Health {}

    /** Something is there, or the way to it is broken: it cannot be told. */
    record Silent(String why) implements Health {}
  }

  Map<FixedInstance, Health> probe(Collection<FixedInstance> instances) throws InterruptedException;
}
