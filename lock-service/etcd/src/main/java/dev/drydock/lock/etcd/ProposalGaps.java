package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * For how long rollouts did not propose what they have places in the queue for, as this grantor saw
 * it itself: deadlines were written by somebody's clock, clocks jump, and with a place an age is
 * lost. Confined to the grantor's thread.
 */
final class ProposalGaps {
  private final Duration longest;
  private final Map<String, Long> since = new HashMap<>();

  /** Places stay for {@code longest} after they were missed first. */
  ProposalGaps(Duration longest) {
    this.longest = longest;
  }

  /** What another grantor saw is not known. */
  void forget() {
    since.clear();
  }

  /**
   * The ids of candidates' places that stay, whatever their deadlines say.
   *
   * @param tickets all that wait, or any when {@code proposed} is empty
   * @param proposed empty when rollouts were not asked, which tells nothing: all places stay
   * @param nanos the time of a clock that does not jump
   */
  Set<String> staying(Collection<Ticket> tickets, Optional<List<Candidate>> proposed, long nanos) {
    Set<String> places =
        tickets.stream()
            .filter(ticket -> ticket.mode() == Mode.CANDIDATE)
            .map(Ticket::id)
            .collect(Collectors.toCollection(HashSet::new));
    if (proposed.isEmpty()) {
      return places;
    }
    since.keySet().retainAll(places);
    proposed.get().forEach(candidate -> since.remove(candidate.ticketId()));
    proposed.get().forEach(candidate -> places.remove(candidate.ticketId()));
    places.forEach(id -> since.putIfAbsent(id, nanos));
    places.removeIf(id -> nanos - since.getOrDefault(id, nanos) > longest.toNanos());
    return places;
  }
}
