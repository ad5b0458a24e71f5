package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.LockEnd;
import dev.drydock.lock.core.txn.Transaction;
import dev.drydock.lock.etcd.Doors.Departure;
import dev.drydock.lock.etcd.FencedCommits.Part;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Those who are done with their locks, in one pass. It decides as if they had ended, and then they
 * do so in the first transaction that it sends, all or none. If that is refused each ends by
 * itself, so that one broken lock holds up nobody else's, and nothing is granted by that. When the
 * pass ends each of them was told something, and what did not come about is forgotten. Confined to
 * the grantor's thread.
 */
final class Departures implements AutoCloseable {
  private final GrantorView view;
  private final List<Departure> leaving;
  private final Set<Key<?>> written = new HashSet<>();
  private boolean ahead;
  private boolean doubtful;

  Departures(GrantorView view, List<Departure> leaving) {
    this.view = view;
    this.leaving = new ArrayList<>(leaving);
  }

  /** No older state may be decided by. */
  long since() {
    return leaving.stream()
        .flatMap(departure -> departure.ends().stream())
        .mapToLong(end -> end.release().lock().modified())
        .max()
        .orElse(0);
  }

  /** They end their locks themselves. */
  void turnBack() {
    leaving.forEach(Departure::turnedBack);
    leaving.clear();
  }

  /** The pass goes on as if their locks had ended; of who does not go together, the first. */
  void goAhead() {
    for (Departure departure : List.copyOf(leaving)) {
      if (together(departure)) {
        ahead = true;
        departure.ends().forEach(end -> view.ahead(end.changes(view.replica().revision() + 1)));
      } else {
        leaving.remove(departure);
        departure.turnedBack();
      }
    }
  }

  private boolean together(Departure departure) {
    Set<Key<?>> keys = new HashSet<>();
    for (LockEnd end : departure.ends()) {
      keys.add(end.release().lock().key());
      keys.addAll(end.release().outdated());
    }
    boolean stand = departure.ends().stream().allMatch(end -> end.ends(view.replica()));
    return stand && keys.stream().noneMatch(written::contains) && written.addAll(keys);
  }

  /** Whether they are all still there; from now on nobody else ends their locks. */
  boolean claim() {
    return !leaving.removeIf(departure -> !departure.claim());
  }

  /** What has to end in the transaction that is sent next. */
  List<LockEnd> ends() {
    return leaving.stream().flatMap(departure -> departure.ends().stream()).toList();
  }

  /** The same as parts that fail alone, one for each who leaves. */
  List<Transaction> parts() {
    return leaving.stream().map(departure -> LockEnd.together(departure.ends())).toList();
  }

  /** It may be on its way from now on. */
  void sending() {
    doubtful = true;
  }

  /** It did not happen, and never will. */
  void refused() {
    doubtful = false;
  }

  /** It happened, as of a revision. */
  void ended(long revision) {
    leaving.forEach(departure -> departure.ended(revision));
    leaving.clear();
    ahead = false;
  }

  /**
   * Each by itself, in the order of {@link #parts}, as of a revision; of who has no end here
   * nothing was sent. The pass goes on with nothing that it decided.
   */
  void settled(List<Part> ends, long revision) {
    for (int i = 0; i < ends.size(); i++) {
      Departure departure = leaving.get(i);
      switch (ends.get(i)) {
        case Part.Done done -> departure.ended(revision);
        case Part.Lost lost -> departure.turnedBack();
        case Part.Refused refused -> departure.turnedBack();
      }
    }
    leaving.subList(0, ends.size()).clear();
  }

  @Override
  public void close() {
    if (ahead) {
      view.tear();
    }
    leaving.forEach(doubtful ? Departure::unsettled : Departure::turnedBack);
    leaving.clear();
  }
}
