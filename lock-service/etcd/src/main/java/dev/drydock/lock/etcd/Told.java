package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Decision;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What those who wait were told last, which is not said again and again. Confined to the grantor's
 * thread.
 */
final class Told {
  private final Map<String, String> reasons = new HashMap<>();

  boolean isNews(String id, String reason) {
    return !reason.equals(reasons.get(id));
  }

  void tell(String id, String reason) {
    reasons.put(id, reason);
  }

  /** Keeps what was told to whoever still waits, by the decisions about everybody. */
  void forgetAllBut(List<Decision> decisions) {
    Set<String> waiting = new HashSet<>();
    for (Decision decision : decisions) {
      if (decision instanceof Decision.TicketWaits waits) {
        waiting.add(waits.ticket().id());
      } else if (decision instanceof Decision.CandidateWaits waits) {
        waiting.add(waits.candidate().ticketId());
      }
    }
    reasons.keySet().retainAll(waiting);
  }
}
