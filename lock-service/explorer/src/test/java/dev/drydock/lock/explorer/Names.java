package dev.drydock.lock.explorer;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * One entry for all things that are equal. To hash a whole transaction is dear, so the first of
 * them, which the entry holds, is known by its identity: states are made of firsts. Not
 * thread-safe.
 *
 * @param <T> an immutable thing
 * @param <N> its entry
 */
final class Names<T, N> {
  private final Map<T, N> firsts = new IdentityHashMap<>();
  private final Map<T, N> all = new HashMap<>();
  private final BiFunction<T, Integer, N> entry;

  /**
   * None yet.
   *
   * @param entry makes one of the first thing and its number, counted from 0
   */
  Names(BiFunction<T, Integer, N> entry) {
    this.entry = entry;
  }

  N of(T thing) {
    N known = firsts.get(thing);
    if (known == null) {
      known = all.get(thing);
    }
    if (known == null) {
      known = entry.apply(thing, all.size());
      all.put(thing, known);
      firsts.put(thing, known);
    }
    return known;
  }
}
