package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Ended;
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
final class Ends {
  /** More that say nothing any more are left to the next end. */
  private static final int SPENT_MAX = 8;

  private final Map<String, List<Said>> said = new HashMap<>();
  private final Map<String, Ended> last = new HashMap<>();
  private final Map<Key.Session, Integer> counting = new HashMap<>();
  private final Set<Key.Session> spent = new LinkedHashSet<>();

  /** What one record says of a host. */
  private record Said(Key<?> by, Ended ended, long at) {}

  /**
   * A record was put.
   *
   * @param at its modification revision
   */
  void put(Key<?> by, List<Ended> ends, long at) {
    if (by instanceof Key.Session session && !ends.isEmpty()) {
      counting.put(session, 0);
      spent.add(session);
    }
    for (Ended end : ends) {
      List<Said> ofHost = said.computeIfAbsent(end.host(), host -> new ArrayList<>(2));
      int place = ofHost.size();
      while (place > 0 && ofHost.get(place - 1).at() > at) {
        place--;
      }
      if (place == ofHost.size()) {
        if (place > 0) {
          counts(ofHost.getLast().by(), -1);
        }
        counts(by, 1);
        last.put(end.host(), end);
      }
      ofHost.add(place, new Said(by, end, at));
    }
  }

  /** A record is gone, or about to be put anew. */
  void remove(Key<?> by, List<Ended> ends) {
    for (Ended end : ends) {
      String host = end.host();
      List<Said> ofHost = said.getOrDefault(host, new ArrayList<>());
      boolean counted = !ofHost.isEmpty() && ofHost.getLast().by().equals(by);
      ofHost.removeIf(one -> one.by().equals(by));
      if (ofHost.isEmpty()) {
        said.remove(host);
        last.remove(host);
      } else if (counted) {
        counts(ofHost.getLast().by(), 1);
        last.put(host, ofHost.getLast().ended());
      }
    }
    if (by instanceof Key.Session session) {
      counting.remove(session);
      spent.remove(session);
    }
  }

  private void counts(Key<?> by, int more) {
    if (by instanceof Key.Session session && counting.containsKey(session)) {
      int hosts = counting.merge(session, more, Integer::sum);
      if (hosts == 0) {
        spent.add(session);
      } else {
        spent.remove(session);
      }
    }
  }

  /** The last word on each host; a view. */
  Map<String, Ended> last() {
    return Collections.unmodifiableMap(last);
  }

  /** Records of session locks that say nothing any more once something ends on these hosts. */
  List<Key.Session> outdatedBy(Collection<String> hosts) {
    List<Key.Session> outdated = new ArrayList<>();
    Map<Key.Session, Integer> left = new HashMap<>();
    for (String host : hosts) {
      List<Said> ofHost = said.get(host);
      if (ofHost != null && ofHost.getLast().by() instanceof Key.Session session) {
        int others = left.getOrDefault(session, counting.getOrDefault(session, 0)) - 1;
        left.put(session, others);
        if (others == 0) {
          outdated.add(session);
        }
      }
    }
    spent.stream().limit(SPENT_MAX).forEach(outdated::add);
    return outdated;
  }
}
