package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import dev.drydock.lock.core.LockRecord.Stage;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Tickets, locks and tables of tests, and passes over them at the epoch. */
public final class Samples {
  static final Verdict GRANT = new Verdict(Verdict.Decision.GRANT, "fits", List.of());
  static final Verdict WAIT =
      new Verdict(Verdict.Decision.WAIT, "web would fall below 9", List.of());

  private Samples() {}

  static List<GrantorDecision> decide(
      LockTable table, List<Candidate> candidates, List<Check> checks, Verdict verdict) {
    return GrantorPass.decide(
        new Input(table, candidates, checks, Instant.EPOCH), always(verdict), Limits.DEFAULT);
  }

  static Admission.Round always(Verdict verdict) {
    return (Collection<String> hosts,
        Collection<String> applications,
        Collection<LockRecord> held) -> verdict;
  }

  static LockTable table(Map<String, LockRecord> locks, Ticket... tickets) {
    Set<String> alive = List.of(tickets).stream().map(Ticket::id).collect(Collectors.toSet());
    locks.values().forEach(lock -> alive.add(lock.id()));
    return new LockTable(100, locks, List.of(tickets), Map.of(), alive);
  }

  static Map<String, LockRecord> locks(LockRecord... locks) {
    return List.of(locks).stream().collect(Collectors.toMap(LockRecord::host, lock -> lock));
  }

  static LockRecord session(String id, String host) {
    return Grants.foreign(ticket(id, Mode.WAIT, 1, host), Instant.EPOCH).getFirst().withToken(9);
  }

  static LockRecord batch(String id, String host, Stage stage) {
    return Grants.batch(
            new Candidate("c", "r1", List.of(host), "web", "release 2"),
            new Candidates.Proposal(id, 1, 1))
        .getFirst()
        .withStage(stage);
  }

  static Candidate aged(String id, long revision) {
    return candidate(id).aged(Optional.of(new Seniority(revision, 0)));
  }

  public static Candidate candidate(String id) {
    return new Candidate(id, "r1", List.of("h-" + id), "web", "release 2");
  }

  public static Ticket ticket(String id, Mode mode, long revision, String... hosts) {
    return ticket(id, mode, revision, List.of(hosts));
  }

  public static Ticket ticket(String id, Mode mode, long revision, List<String> hosts) {
    return new Ticket(
            id,
            mode,
            hosts,
            List.of(),
            "someone",
            "maintenance",
            Instant.EPOCH.plusSeconds(60),
            60,
            15)
        .at(revision);
  }
}
