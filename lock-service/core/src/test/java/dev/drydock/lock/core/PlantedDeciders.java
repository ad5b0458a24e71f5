package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.GrantorPass.Input;
import dev.drydock.lock.core.GrantorPass.Limits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** The pass with a bug each, and the property that finds it. */
final class PlantedDeciders {
  private PlantedDeciders() {}

  static Stream<Arguments> bugs() {
    return Stream.of(
        Arguments.of("a try passes a waiter", "I3", reordered(Comparator.comparing(Ticket::mode))),
        Arguments.of("order by id", "I3", reordered(Comparator.comparing(Ticket::id))),
        Arguments.of(
            "small requests first",
            "I3",
            reordered(Comparator.comparingInt(t -> t.hosts().size()))),
        Arguments.of("a candidate passes the queue", "I3", candidatesFirst()),
        Arguments.of("whoever ends some time may pass", "I3", within(Duration.ofDays(1))),
        Arguments.of("the share of a waiter is never kept", "BUDGET", within(Duration.ofDays(1))),
        Arguments.of("a clock is not written", "I3", forgetful()),
        Arguments.of("a batch turned back loses its age", "I3", agesOfCandidatesLost()),
        Arguments.of("a place loses the age brought to it", "I3", agesOfTicketsLost()),
        Arguments.of("nobody waits until it is over", "I2", withoutDelay()),
        Arguments.of("an expired lock is not down", "I1", expiredNotCounted()),
        Arguments.of("a held host is granted again", "I2", heldIsFree()),
        Arguments.of("part of the hosts is granted", "I4", partial()),
        Arguments.of("a lapsed lock still excludes", "LIVENESS", lapsedExcludes()),
        Arguments.of("a dead client keeps its place", "LIVENESS", deadKeepsPlace()),
        Arguments.of("an abandoned place stays", "LIVENESS", abandonedStays()));
  }

  /** Decides as if the tickets had come in another order. */
  private static Decider reordered(Comparator<Ticket> order) {
    return (input, round, limits) -> {
      LockTable table = input.table();
      Map<String, Ticket> real =
          table.tickets().stream().collect(Collectors.toMap(Ticket::id, Function.identity()));
      List<Ticket> wrong = new ArrayList<>();
      for (Ticket t : table.tickets().stream().sorted(order.thenComparing(Ticket.ORDER)).toList()) {
        wrong.add(t.at(wrong.size() + 1).aged(Optional.empty()));
      }
      return Decider.REAL.decide(with(input, wrong, table.alive()), round, limits).stream()
          .map(
              decision ->
                  switch (decision) {
                    case GrantorDecision.GrantTicket(Ticket t, Verdict v) ->
                        new GrantorDecision.GrantTicket(
                            Objects.requireNonNull(real.get(t.id())), v);
                    case GrantorDecision.TurnAway(Ticket t, String reason) ->
                        new GrantorDecision.TurnAway(
                            Objects.requireNonNull(real.get(t.id())), reason);
                    default -> decision;
                  })
          .toList();
    };
  }

  /** As if everybody could be passed for that long. */
  private static Decider within(Duration passedMax) {
    return (input, round, limits) ->
        Decider.REAL.decide(
            input,
            round,
            new Limits(
                limits.ticketsPerRollout(),
                limits.grants(),
                limits.hostsPerGrant(),
                limits.refreshBelow(),
                new Backfill(passedMax, limits.backfill().margin())));
  }

  private static Decider forgetful() {
    return (input, round, limits) ->
        Decider.REAL.decide(input, round, limits).stream()
            .filter(decision -> !(decision instanceof GrantorDecision.SetClock))
            .toList();
  }

  private static Decider agesOfCandidatesLost() {
    return (input, round, limits) -> {
      List<Candidate> ageless =
          input.candidates().stream().map(c -> c.aged(Optional.empty())).toList();
      return Decider.REAL.decide(
          new Input(
              input.table(),
              ageless,
              input.checks(),
              input.now(),
              input.witnessed(),
              input.abandoned()),
          round,
          limits);
    };
  }

  private static Decider abandonedStays() {
    return (input, round, limits) ->
        Decider.REAL.decide(
            new Input(
                input.table(), input.candidates(), input.checks(), input.now(), input.witnessed()),
            round,
            limits);
  }

  private static Decider agesOfTicketsLost() {
    return (input, round, limits) -> {
      List<Ticket> ageless =
          input.table().tickets().stream().map(t -> t.aged(Optional.empty())).toList();
      return Decider.REAL.decide(with(input, ageless, input.table().alive()), round, limits);
    };
  }

  private static Decider expiredNotCounted() {
    return (input, round, limits) ->
        Decider.REAL.decide(
            input,
            seeing(
                round, held -> held.stream().filter(lock -> !input.table().expired(lock)).toList()),
            limits);
  }

  /** The same round, shown other locks than there are. */
  private static Admission.Round seeing(
      Admission.Round round, Function<Collection<LockRecord>, Collection<LockRecord>> shown) {
    return new Admission.Round() {
      @Override
      public Verdict judge(
          Collection<String> hosts, Collection<String> applications, Collection<LockRecord> held) {
        return round.judge(hosts, applications, shown.apply(held));
      }

      @Override
      public boolean healthySince(String host, long mark) {
        return round.healthySince(host, mark);
      }
    };
  }

  /** A lock lapses as soon as its key is gone. */
  private static Decider withoutDelay() {
    return (input, round, limits) ->
        Decider.REAL.decide(
            new Input(
                input.table(),
                input.candidates(),
                input.checks(),
                input.now(),
                new GrantorPass.Witnessed(Set.of(), input.table().locks().keySet())),
            round,
            limits);
  }

  private static Decider lapsedExcludes() {
    return (input, round, limits) -> {
      Set<String> alive = new HashSet<>(input.table().alive());
      input.table().locks().values().forEach(lock -> alive.add(lock.id()));
      return Decider.REAL.decide(with(input, input.table().tickets(), alive), round, limits);
    };
  }

  private static Decider deadKeepsPlace() {
    return (input, round, limits) -> {
      Set<String> alive = new HashSet<>(input.table().alive());
      input.table().tickets().forEach(ticket -> alive.add(ticket.id()));
      return Decider.REAL.decide(with(input, input.table().tickets(), alive), round, limits);
    };
  }

  private static Decider partial() {
    return (input, round, limits) ->
        Decider.REAL.decide(input, round, limits).stream()
            .map(
                decision ->
                    decision instanceof GrantorDecision.GrantTicket(Ticket t, Verdict v)
                            && t.hosts().size() > 1
                        ? new GrantorDecision.GrantTicket(
                            new Ticket(
                                    t.id(),
                                    t.mode(),
                                    t.hosts().subList(1, t.hosts().size()),
                                    t.applications(),
                                    t.holder(),
                                    t.reason(),
                                    t.pollDeadline(),
                                    t.waitSeconds(),
                                    t.leaseSeconds())
                                .at(t.createRevision()),
                            v)
                        : decision)
            .toList();
  }

  private static Decider candidatesFirst() {
    return (input, round, limits) -> {
      Map<String, LockRecord> locks = new HashMap<>(input.table().locks());
      List<GrantorDecision> decisions =
          new ArrayList<>(
              Decider.REAL.decide(with(input, List.of(), input.table().alive()), round, limits));
      decisions.removeIf(
          d -> d instanceof GrantorDecision.Enqueue || d instanceof GrantorDecision.CandidateWaits);
      for (GrantorDecision decision : decisions) {
        if (decision instanceof GrantorDecision.GrantCandidate grant) {
          Grants.batch(grant.candidate()).forEach(lock -> locks.put(lock.host(), lock));
        }
      }
      LockTable table = input.table();
      decisions.addAll(
          Decider.REAL.decide(
              new Input(
                  new LockTable(
                      table.revision(),
                      locks,
                      table.tickets(),
                      table.ended(),
                      table.alive(),
                      table.brake(),
                      table.passed()),
                  List.of(),
                  List.of(),
                  input.now(),
                  input.witnessed()),
              round,
              limits));
      return decisions;
    };
  }

  private static Decider heldIsFree() {
    return (input, round, limits) -> {
      LockTable table = input.table();
      LockTable free =
          new LockTable(table.revision(), Map.of(), table.tickets(), table.ended(), table.alive());
      Admission.Round all =
          seeing(
              round,
              held -> Stream.concat(held.stream(), table.locks().values().stream()).toList());
      return Decider.REAL.decide(
          new Input(
              free,
              input.candidates(),
              input.checks(),
              input.now(),
              input.witnessed(),
              input.abandoned()),
          all,
          limits);
    };
  }

  private static Input with(Input input, List<Ticket> tickets, Set<String> alive) {
    LockTable table = input.table();
    return new Input(
        new LockTable(
            table.revision(),
            table.locks(),
            tickets,
            table.ended(),
            alive,
            table.brake(),
            table.passed()),
        input.candidates(),
        input.checks(),
        input.now(),
        input.witnessed(),
        input.abandoned());
  }
}
