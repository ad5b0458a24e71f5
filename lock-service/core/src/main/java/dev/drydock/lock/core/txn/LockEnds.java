package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.EndedLock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What ends of locks left behind. Of a host there may be several records, one of its own and those
 * of session locks that it shared with others; the last one counts. Not thread-safe.
 */
final class LockEnds {
  /** More that say nothing any more are left to the next end. */
  private static final int SPENT_MAX = 8;

  private final Map<String, List<Said>> said = new HashMap<>();
  private final Map<String, EndedLock> last = new HashMap<>();
  private final Set<Key.Session> spent = new LinkedHashSet<>();

  /** One record, and of how many hosts it is the last word. */
  private static final class Source {
    private final Key<?> key;
    private int counting;

    Source(Key<?> key) {
      this.key = key;
    }
  }

  /** What one record says of a host. */
  private record Said(Source by, EndedLock ended, long at) {}

  /**
   * A record was put.
   *
   * @param at its modification revision
   */
  void put(Key<?> key, List<EndedLock> ends, long at) {
    Source by = new Source(key);
    for (EndedLock end : ends) {
      List<Said> ofHost = said.computeIfAbsent(end.host(), host -> new ArrayList<>(2));
      int place = ofHost.size();
      while (place > 0 && ofHost.get(place - 1).at() > at) {
        place--;
      }
      if (place == ofHost.size()) {
        if (place > 0) {
          counts(ofHost.getLast().by(), -1);
        }
        by.counting++;
        last.put(end.host(), end);
      }
      ofHost.add(place, new Said(by, end, at));
    }
    if (!ends.isEmpty()) {
      counts(by, 0);
    }
  }

  /** A record is gone, or about to be put anew. */
  void remove(Key<?> key, List<EndedLock> ends) {
    for (EndedLock end : ends) {
      String host = end.host();
      List<Said> ofHost = said.get(host);
      if (ofHost == null) {
        continue;
      }
      boolean counted = ofHost.getLast().by().key.equals(key);
      ofHost.removeIf(one -> one.by().key.equals(key));
      if (ofHost.isEmpty()) {
        said.remove(host);
        last.remove(host);
      } else if (counted) {
        counts(ofHost.getLast().by(), 1);
        last.put(host, ofHost.getLast().ended());
      }
    }
    if (key instanceof Key.Session session) {
      spent.remove(session);
    }
  }

  private void counts(Source by, int more) {
    by.counting += more;
    if (by.key instanceof Key.Session session) {
      if (by.counting == 0) {
        spent.add(session);
      } else if (!spent.isEmpty()) {
        spent.remove(session);
      }
    }
  }

  /** The last word on each host; a view. */
  Map<String, EndedLock> last() {
    return Collections.unmodifiableMap(last);
  }

  /** Records of session locks that say nothing any more once something ends on these hosts. */
  List<Key.Session> outdatedBy(Collection<String> hosts) {
    List<Key.Session> outdated = new ArrayList<>();
    Map<Source, Integer> shared = new HashMap<>();
    for (String host : hosts) {
      List<Said> ofHost = said.get(host);
      if (ofHost != null && ofHost.getLast().by().key instanceof Key.Session session) {
        Source by = ofHost.getLast().by();
        if (by.counting == 1 || shared.merge(by, 1, Integer::sum) == by.counting) {
          outdated.add(session);
        }
      }
    }
    if (!spent.isEmpty()) {
      spent.stream().limit(SPENT_MAX).forEach(outdated::add);
    }
    return outdated;
  }
}
