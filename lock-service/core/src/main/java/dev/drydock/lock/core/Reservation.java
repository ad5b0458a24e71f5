package dev.drydock.lock.core;

import java.time.Instant;
import java.util.Optional;

/**
 * What a waiting ticket does to those after it.
 *
 * @param from the latest enforced end of what it lacks: it needs its hosts no earlier. Empty when
 *     nothing says when that ends
 * @param clear whoever goes before it has to be gone by then
 */
record Reservation(Optional<Instant> from, Instant clear) {
  /** Nobody goes before it. */
  static Reservation strict(Optional<Instant> from) {
    return new Reservation(from, Instant.MIN);
  }
}
