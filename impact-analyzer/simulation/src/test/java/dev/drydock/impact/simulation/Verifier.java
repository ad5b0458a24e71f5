package dev.drydock.impact.simulation;

import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.ControllerInquiry;
import dev.drydock.impact.core.Health;
import dev.drydock.impact.simulation.OwnJudge.Asking;
import dev.drydock.impact.simulation.OwnJudge.Taking;
import dev.drydock.impact.simulation.OwnPolicy.Moment;
import dev.drydock.impact.simulation.OwnPolicy.Objection;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Watches what is granted, held and touched, and judges it by its own reading of reports, locks and
 * policies (invariants I1, I3, I4).
 */
final class Verifier {
  private static final double OPEN_AGE_MAX_SECONDS = 30;

  /** They come by the thousand, and much alike. */
  private static final int HOLDS_PER_LOOK = 5;

  /** Older ones have ended. */
  private static final int HEARD_MAX = 200;

  private final Agenda agenda;
  private final SimulatedFleet simulatedFleet;
  private final Store store;
  private final Bug bug;
  private final Map<String, Report> newest = new HashMap<>();
  private final OwnJudge judge;
  private final Map<String, Candidate> submitted = new HashMap<>();
  private final Map<String, List<ControllerInquiry>> heard = new HashMap<>();
  private final Map<String, KnownState.Sample> samples = new HashMap<>();
  private final Map<String, Instant> opened = new HashMap<>();
  private final OwnHistory history = new OwnHistory();
  private final OwnCanaries canaries = new OwnCanaries();
  private final Coverage coverage = new Coverage();
  private int judged;
  private int holds;

  Verifier(Agenda agenda, SimulatedFleet simulatedFleet, Store store, Bug bug) {
    this.agenda = agenda;
    this.simulatedFleet = simulatedFleet;
    this.store = store;
    this.bug = bug;
    judge = new OwnJudge(simulatedFleet, store);
  }

  /** A promise was broken; the message begins with its name. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String promise, String what) {
      super(promise + ": " + what);
    }
  }

  /** A bug is sought by the promise it should break, and may break others before. */
  void broken(String promise, String what) {
    if (bug == Bug.NONE || bug.breaks.equals(promise)) {
      throw new Broken(promise, "%s (step %,d, %s)".formatted(what, agenda.step(), agenda.now()));
    }
  }

  /**
   * Who is granted hosts.
   *
   * @param lasts seconds of its enforced maximum; 0 without one
   */
  record Taker(String id, List<String> hosts, Seniority age, boolean batch, int lasts) {
    static Taker of(Ticket ticket) {
      int lasts = ticket.mode() == Ticket.Mode.WAIT ? ticket.maxSeconds() : 0;
      return new Taker(ticket.id(), ticket.hosts(), ticket.seniority(), false, lasts);
    }

    static Taker of(Candidate candidate) {
      Seniority age = candidate.seniority().orElse(Seniority.NEWCOMER);
      return new Taker(candidate.ticketId(), candidate.hosts(), age, true, 0);
    }
  }

  void submitted(Candidate batch) {
    submitted.put(batch.ticketId(), batch);
  }

  void reported(Report report) {
    newest.merge(report.source(), report, (a, b) -> a.mark() > b.mark() ? a : b);
  }

  /** Monitoring was heard about a query. */
  void monitored(String query, KnownState.Sample sample) {
    samples.put(query, sample);
  }

  KnownState knows(Instant now, LockTable table, Set<String> wanted) {
    Map<String, ControllerAnswers> said = new HashMap<>();
    heard.forEach((topic, asks) -> said.put(topic, new ControllerAnswers(asks)));
    return new KnownState(
        now, Map.copyOf(newest), table, wanted, said, Map.copyOf(samples), history.past());
  }

  /** A controller answered, or its time was over. */
  void heard(String topic, ControllerInquiry controllerInquiry) {
    List<ControllerInquiry> asks = heard.computeIfAbsent(topic, _ -> new ArrayList<>());
    asks.add(controllerInquiry);
    if (asks.size() > HEARD_MAX) {
      asks.removeFirst();
    }
  }

  /** By id. */
  Set<String> everyInstance() {
    return simulatedFleet.instances().stream()
        .map(running -> running.id)
        .collect(Collectors.toSet());
  }

  /** How many grants and checks it judged. */
  int judged() {
    return judged;
  }

  /** What held somebody. */
  Coverage coverage() {
    return coverage;
  }

  void grants(KnownState knownState, LockTable before, Taker taker, int term) {
    judged++;
    String what = "%s got %s".formatted(taker.id(), taker.hosts());
    if (term != store.term()) {
      broken("FENCE", what + " by a grantor that was deposed");
    }
    if (before.brake().isPresent()) {
      broken("BRAKE", what);
    }
    Optional<Candidate> batch = Optional.ofNullable(submitted.get(taker.id()));
    batch
        .filter(one -> !one.hosts().equals(taker.hosts()))
        .ifPresent(one -> broken("I4", what + " of " + one.hosts()));
    batch
        .flatMap(one -> canaries.against(one.rollout(), one.hosts()))
        .ifPresent(why -> broken("CANARY", what + ": " + why));
    judge
        .against(
            knownState,
            before.ended(),
            OwnJudge.taking(before.locks().keySet(), taker.hosts()),
            Moment.BEFORE)
        .ifPresent(why -> broken("I1", what + ": " + why));
    OwnOrder.against(
            knownState,
            before,
            taker,
            ticket -> store.waits(ticket.id()),
            ticket -> blocked(knownState, before, ticket))
        .ifPresent(why -> broken("I3", why));
    if (taker.batch()) {
      history.granted(agenda.now(), taker.hosts());
    } else {
      history.locked(agenda.now(), taker.id(), taker.hosts(), newest.values());
    }
  }

  /** It waits for what nobody ends who works. */
  private boolean blocked(KnownState knownState, LockTable before, Ticket ticket) {
    boolean quarantined =
        ticket.hosts().stream().anyMatch(host -> quarantine(knownState.table().locks().get(host)));
    boolean unwanted =
        ticket.mode() == Ticket.Mode.CANDIDATE && !knownState.wanted().contains(ticket.id());
    Map<String, LockRecord> atItsTurn = knownState.table().locks();
    Map<String, LockRecord> since = new HashMap<>(before.locks());
    since.putAll(atItsTurn);
    return quarantined
        || unwanted
        || staysDown(knownState, atItsTurn.values(), ticket)
        || staysDown(knownState, since.values(), ticket);
  }

  /**
   * Even if all who hold these locks and work had ended. A turn is judged once in a pass: who was
   * granted after it may bring back what it waits for, and counts from the next pass on.
   */
  private boolean staysDown(KnownState knownState, Collection<LockRecord> locks, Ticket ticket) {
    Set<String> stay = new HashSet<>();
    Set<String> end = new HashSet<>();
    for (LockRecord lock : locks) {
      (quarantine(lock) || knownState.table().lapsed(lock) ? stay : end).add(lock.host());
    }
    Taking then = new Taking(ticket.hosts(), stay, end::contains, true, Asking.ONCE_OTHERS_END);
    return judge.against(knownState, knownState.table().ended(), then, Moment.BEFORE).isPresent();
  }

  private static boolean quarantine(@org.jspecify.annotations.Nullable LockRecord lock) {
    return lock != null && lock.kind() == LockRecord.Kind.QUARANTINE;
  }

  /**
   * The analyzer says that these cannot be taken while others have those, and it takes a rule to
   * say so.
   */
  void holds(KnownState knownState, Collection<String> hosts, Set<String> held, String verdict) {
    if (++holds % HOLDS_PER_LOOK != 0) {
      return;
    }
    boolean begun =
        hosts.stream()
            .map(knownState.table().locks()::get)
            .allMatch(lock -> lock != null && lock.kind() == LockRecord.Kind.BATCH);
    List<Objection> objections =
        judge.objections(
            knownState,
            knownState.table().ended(),
            OwnJudge.taking(held, hosts),
            begun ? Moment.BEGUN : Moment.BEFORE);
    if (objections.isEmpty()) {
      broken("HOLD", "nothing holds %s, but it is said: %s".formatted(hosts, verdict));
    }
    List<String> rules = objections.stream().map(Objection::rule).distinct().toList();
    if (rules.size() == 1) {
      coverage.held(rules.getFirst());
    }
  }

  /** A check of a batch said yes. */
  void passes(KnownState knownState, LockTable before, Check check) {
    judged++;
    List<String> hosts = check.hosts();
    Set<String> others = new HashSet<>(before.locks().keySet());
    hosts.forEach(others::remove);
    judge
        .against(knownState, before.ended(), OwnJudge.taking(others, hosts), Moment.BEGUN)
        .ifPresent(why -> broken("I1", "the check of %s passed: %s".formatted(hosts, why)));
    if (check.kind() == Check.Kind.OPEN) {
      opened.put(check.grantId(), knownState.at());
      history.opened(agenda.now(), check.grantId(), hosts, newest.values());
    }
  }

  /** Instances of these hosts are stopped now. */
  void touches(Instant now, String grant, List<String> hosts, LockTable table) {
    KnownState knownState = knows(now, table, Set.of());
    Taking alone = new Taking(hosts, Set.of(), _ -> true, true, Asking.NOW);
    judge
        .against(knownState, Map.of(), alone, Moment.BEGUN)
        .filter(why -> why.contains("the approval of"))
        .ifPresent(why -> broken("I1", "%s touched %s: %s".formatted(grant, hosts, why)));
    for (String host : hosts) {
      LockRecord lock = table.locks().get(host);
      boolean open =
          lock != null && lock.id().equals(grant) && lock.stage() == LockRecord.Stage.OPEN;
      if (!open) {
        broken("I4", "%s touched %s of %s, not open".formatted(grant, host, hosts));
      }
    }
    Instant seen = opened.getOrDefault(grant, Instant.EPOCH);
    if (Duration.between(seen, now).toMillis() > 1000 * OPEN_AGE_MAX_SECONDS) {
      broken("STALE", "%s touched %s by what was seen at %s".formatted(grant, hosts, seen));
    }
  }

  /** These go first in a rollout. */
  void chosen(String rollout, List<List<String>> batches, List<CanaryGate> gates) {
    Map<String, OwnPolicy> policies = judge.policies();
    Map<String, Set<OwnPolicy>> on = new HashMap<>();
    Map<String, String> zones = new HashMap<>();
    Set<String> down = new HashSet<>();
    for (Report report : newest.values()) {
      for (Report.Seen seen : report.instances()) {
        zones.put(seen.host(), seen.zone());
        if (seen.health() == Health.UNHEALTHY) {
          down.add(seen.host());
        }
        Optional.ofNullable(policies.get(seen.application()))
            .ifPresent(policy -> on.computeIfAbsent(seen.host(), _ -> new HashSet<>()).add(policy));
      }
    }
    canaries
        .chosen(rollout, batches, gates, on, zones, down)
        .ifPresent(why -> broken("CANARY", rollout + ": " + why));
  }

  /** A host's part in its rollout is over. */
  void ended(String rollout, String host, boolean well) {
    canaries.ended(rollout, host, agenda.now(), well);
  }

  /** Those who waited for canaries of this gate need not any more. */
  void passes(String rollout, CanaryGate gate) {
    LockTable table = store.table();
    KnownState knownState = knows(agenda.now(), table, Set.of());
    Taking nothing = OwnJudge.taking(table.locks().keySet(), List.of());
    List<String> down =
        judge.instances(knownState, table.ended(), nothing).entrySet().stream()
            .filter(entry -> gate.applications().contains(entry.getKey()))
            .flatMap(entry -> entry.getValue().stream())
            .filter(one -> gate.canaries().contains(one.host()) && !one.up())
            .map(OwnPolicy.One::id)
            .toList();
    canaries
        .passes(rollout, gate, agenda.now(), down)
        .ifPresent(why -> broken("CANARY", rollout + " goes on: " + why));
  }

  /** Whether these could ever be taken as things are, when nobody has anything. */
  boolean feasible(Instant now, Candidate batch) {
    Map<String, Report> reports = new TreeMap<>();
    simulatedFleet
        .hosts()
        .forEach(host -> reports.put(host.source, simulatedFleet.read(host.source, 0)));
    KnownState knownState =
        new KnownState(now, reports, store.table(), Set.of(), Map.of(), Map.of(), Map.of());
    Taking alone = new Taking(batch.hosts(), Set.of(), host -> true, true, Asking.EVER);
    return canaries.due(batch.rollout(), batch.hosts())
        && judge.against(knownState, Map.of(), alone, Moment.EVER).isEmpty();
  }
}
