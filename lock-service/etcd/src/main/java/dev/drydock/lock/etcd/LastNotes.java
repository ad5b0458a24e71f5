package dev.drydock.lock.etcd;

import dev.drydock.lock.core.GrantorDecision;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What those who wait were told last, which is not said again and again. Confined to the grantor's
 * thread; times are of {@link System#nanoTime}.
 */
final class LastNotes {
  /** How long a candidate's reason may have the numbers of an earlier pass. */
  static final Duration NUMBERS_AGE_MAX = Duration.ofSeconds(5);

  private static final Pattern NUMBER = Pattern.compile("[0-9]+");

  private final Map<String, Said> said = new HashMap<>();

  private record Said(String reason, long at) {

    boolean inTheWordsOf(String other) {
      return NUMBER.matcher(reason).replaceAll("0").equals(NUMBER.matcher(other).replaceAll("0"));
    }
  }

  boolean isNews(String id, String reason) {
    Said last = said.get(id);
    return last == null || !last.reason().equals(reason);
  }

  /**
   * Whether it is news that has to be told now. Each grant changes the numbers in the reasons of
   * all that wait behind it, those in names of hosts included: they can wait for a moment, other
   * words cannot.
   */
  boolean isDue(String id, String reason, long now) {
    if (!isNews(id, reason)) {
      return false;
    }
    Said last = said.get(id);
    return last == null
        || now - last.at() >= NUMBERS_AGE_MAX.toNanos()
        || !last.inTheWordsOf(reason);
  }

  void tell(String id, String reason, long now) {
    said.put(id, new Said(reason, now));
  }

  /** Keeps what was told to whoever still waits, by the decisions about everybody. */
  void forgetAllBut(List<GrantorDecision> decisions) {
    Set<String> waiting = new HashSet<>();
    for (GrantorDecision decision : decisions) {
      if (decision instanceof GrantorDecision.TicketWaits waits) {
        waiting.add(waits.ticket().id());
      } else if (decision instanceof GrantorDecision.CandidateWaits waits) {
        waiting.add(waits.candidate().ticketId());
      }
    }
    said.keySet().retainAll(waiting);
  }
}
