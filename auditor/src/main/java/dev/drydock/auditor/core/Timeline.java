package dev.drydock.auditor.core;

import java.util.Comparator;
import java.util.List;

/**
 * What begins and what ends, in order. Who follows it may go on and back: from one moment to
 * another each change between them is told once.
 *
 * @param <K> by what it is ordered
 * @param <T> what begins and ends
 */
final class Timeline<K extends Comparable<? super K>, T> {
  private final List<Turn<K, T>> turns;

  Timeline(List<Turn<K, T>> turns) {
    this.turns = turns.stream().sorted(Comparator.comparing(Turn<K, T>::at)).toList();
  }

  /**
   * One change.
   *
   * @param begins or else ends
   */
  record Turn<K, T>(K at, T what, boolean begins) {}

  /** Is told of changes; on the way back a beginning is told as an end, and the reverse. */
  interface Follower<T> {
    void turn(T what, boolean begins);
  }

  /** At the beginning of time. For one thread. */
  Cursor follow(Follower<T> follower) {
    return new Cursor(follower);
  }

  /** Where one follower is. */
  final class Cursor {
    private final Follower<T> follower;
    private int next;

    private Cursor(Follower<T> follower) {
      this.follower = follower;
    }

    /** With all that changes at this moment. */
    void to(K at) {
      while (next < turns.size() && turns.get(next).at().compareTo(at) <= 0) {
        Turn<K, T> turn = turns.get(next++);
        follower.turn(turn.what(), turn.begins());
      }
      while (next > 0 && turns.get(next - 1).at().compareTo(at) > 0) {
        Turn<K, T> turn = turns.get(--next);
        follower.turn(turn.what(), !turn.begins());
      }
    }
  }
}
