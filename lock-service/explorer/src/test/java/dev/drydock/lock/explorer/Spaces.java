package dev.drydock.lock.explorer;

import dev.drydock.lock.core.txn.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The revisions of one state by what they are compared with: ages of tickets with each other, so
 * that their order matters, every other one only with that of the same key. Not thread-safe.
 */
final class Spaces {
  static final int AGES = 0;

  private final Names<Key<?>, Integer> names = new Names<>(this::met);
  private final List<Key<?>> keys = new ArrayList<>();
  private long[][] revisions = new long[8][8];
  private int[] sizes = new int[8];

  /** Where revisions that created a key belong. */
  int created(Key<?> key) {
    return key instanceof Key.Ticket || key instanceof Key.Grant ? AGES : 1 + 2 * of(key);
  }

  /** Where revisions that put a key belong. */
  int modified(Key<?> key) {
    return 2 + 2 * of(key);
  }

  /** The number of a key, from 0. */
  int of(Key<?> key) {
    return names.of(key);
  }

  /** The key of a number. */
  Key<?> key(int number) {
    return keys.get(number);
  }

  /** How many keys were met. */
  int keys() {
    return keys.size();
  }

  private int met(Key<?> key, int number) {
    keys.add(key);
    int most = 3 + 2 * number;
    if (most > sizes.length) {
      int before = sizes.length;
      sizes = Arrays.copyOf(sizes, 2 * most);
      revisions = Arrays.copyOf(revisions, 2 * most);
      for (int space = before; space < revisions.length; space++) {
        revisions[space] = new long[8];
      }
    }
    return number;
  }

  /** Forgets all revisions. */
  void clear() {
    Arrays.fill(sizes, 0);
  }

  /** Meets a revision; 0 is none. */
  void add(int space, long revision) {
    if (revision <= 0) {
      return;
    }
    int size = sizes[space];
    int at = Arrays.binarySearch(revisions[space], 0, size, revision);
    if (at >= 0) {
      return;
    }
    if (size == revisions[space].length) {
      revisions[space] = Arrays.copyOf(revisions[space], 2 * size);
    }
    int place = -at - 1;
    System.arraycopy(revisions[space], place, revisions[space], place + 1, size - place);
    revisions[space][place] = revision;
    sizes[space]++;
  }

  /** The place of a revision that was met among the others of its space, from 1; 0 for none. */
  long rank(int space, long revision) {
    return revision <= 0
        ? revision
        : 1 + Arrays.binarySearch(revisions[space], 0, sizes[space], revision);
  }
}
