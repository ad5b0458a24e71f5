package dev.drydock.lock.explorer;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.Ticket.Mode;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Who wants what, and what may go wrong how often.
 *
 * @param requests tickets and candidates
 * @param faults how often each thing may go wrong
 * @param total how many things may go wrong in all
 * @param budgets how many hosts may be down, before and after the policy is changed
 * @param deadline what tickets show, and nobody loses a place by; passed by {@link Fault#TIME}
 */
record Scenario(
    String name,
    List<Request> requests,
    Map<Fault, Integer> faults,
    int total,
    List<Integer> budgets,
    Instant deadline) {
  static final List<String> HOSTS = List.of("h1", "h2", "h3");
  static final Instant FAR = Instant.EPOCH.plusSeconds(1_000_000);
  static final Instant NEAR = Instant.EPOCH.plusSeconds(50);
  static final Instant LATER = Instant.EPOCH.plusSeconds(100);

  /** What may go wrong, or happen that needs not. */
  enum Fault {
    /** An enqueue or a release is delivered, and a copy of it later or never. */
    COPY,
    /** A request waits in the network, and its sender asks again. */
    LOST,
    /** A client dies or stands still past its lease. */
    DIE,
    /** etcd revokes the lease of a living client, which does not hear of it before it renews. */
    REVOKE,
    /** A waiting client gives up. */
    LEAVE,
    /** A grantor's process dies. */
    CRASH,
    /** A grantor stands still past its lease and does not know. */
    PAUSE,
    /** A grantor hears nothing of its transaction and goes on without. */
    SILENCE,
    /** The sweeper is faster than the grantor. */
    SWEEP,
    /** A check turns a batch back. */
    TURN_BACK,
    /** A host cannot be returned to service. */
    QUARANTINE,
    /** The policy is changed. */
    POLICY,
    /** The brake is pulled. */
    FREEZE,
    /** The clock passes the tickets' deadlines. */
    TIME
  }

  /** Who wants hosts. */
  record Request(String id, Kind kind, List<String> hosts, int maxSeconds) {
    /** How it asks. */
    enum Kind {
      WAIT,
      TRY,
      CANDIDATE
    }

    Ticket ticket(Instant deadline) {
      return new Ticket(
              id,
              kind == Kind.TRY ? Mode.TRY : Mode.WAIT,
              hosts,
              List.of(),
              id,
              "maintenance",
              deadline,
              60,
              15)
          .lasting(maxSeconds);
    }

    Candidate candidate() {
      return new Candidate(id, "r1", hosts, id, "release 2");
    }

    boolean foreign() {
      return kind != Kind.CANDIDATE;
    }
  }

  static Request wants(String id, Request.Kind kind, String... hosts) {
    return new Request(id, kind, List.of(hosts), 0);
  }

  /** A request of a client that declares how long its lock may last. */
  static Request lasting(String id, int maxSeconds, String... hosts) {
    return new Request(id, Request.Kind.WAIT, List.of(hosts), maxSeconds);
  }

  static Scenario of(String name, Request... requests) {
    return new Scenario(name, List.of(requests), new EnumMap<>(Fault.class), 0, List.of(3, 3), FAR);
  }

  Scenario upTo(int most) {
    return new Scenario(name, requests, faults, most, budgets, deadline);
  }

  Scenario with(Fault... more) {
    Map<Fault, Integer> all = new EnumMap<>(Fault.class);
    all.putAll(faults);
    Arrays.stream(more).forEach(fault -> all.merge(fault, 1, Integer::sum));
    return new Scenario(name, requests, all, total, budgets, deadline);
  }

  Scenario budget(int before, int after) {
    return new Scenario(name, requests, faults, total, List.of(before, after), deadline);
  }

  Scenario ending(Instant when) {
    return new Scenario(name, requests, faults, total, budgets, when);
  }

  @Override
  public String toString() {
    return name;
  }

  /** Whether anybody counts what is down. */
  boolean counts() {
    return budgets.getFirst() < HOSTS.size();
  }
}
