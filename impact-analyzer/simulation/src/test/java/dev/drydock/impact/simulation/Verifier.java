package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Ask;
import dev.drydock.impact.core.Health;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Ended;
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
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Watches what is granted and touched, and judges it by its own reading of reports, locks and
 * policies (invariants I1, I3, I4).
 */
final class Verifier {
  private static final double REPORT_AGE_MAX_SECONDS = 30;

  /** Older ones have ended. */
  private static final int HEARD_MAX = 200;

  private final World world;
  private final Store store;
  private final Map<String, Report> newest = new HashMap<>();
  private final Map<String, OwnPolicy> parsed = new HashMap<>();
  private final Map<String, List<String>> submitted = new HashMap<>();
  private final Map<String, List<Ask>> heard = new HashMap<>();
  private int judged;

  Verifier(World world, Store store) {
    this.world = world;
    this.store = store;
  }

  /** A promise was broken; the message begins with its name. */
  static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Broken(String promise, String what) {
      super(promise + ": " + what);
    }
  }

  /** All that was knowable when somebody decided. */
  record Known(
      Instant at,
      Map<String, Report> newest,
      LockTable table,
      Set<String> wanted,
      Map<String, Heard> heard) {}

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

  void submitted(String batch, List<String> hosts) {
    submitted.put(batch, hosts);
  }

  void reported(Report report) {
    newest.merge(report.source(), report, (a, b) -> a.mark() > b.mark() ? a : b);
  }

  Known knows(Instant now, LockTable table, Set<String> wanted) {
    return new Known(now, Map.copyOf(newest), table, wanted, heard());
  }

  private Map<String, Heard> heard() {
    Map<String, Heard> all = new HashMap<>();
    heard.forEach((topic, asks) -> all.put(topic, new Heard(asks)));
    return all;
  }

  /** A controller answered, or its time was over. */
  void heard(String topic, Ask ask) {
    List<Ask> asks = heard.computeIfAbsent(topic, _ -> new ArrayList<>());
    asks.add(ask);
    if (asks.size() > HEARD_MAX) {
      asks.removeFirst();
    }
  }

  /** By id. */
  Set<String> everyInstance() {
    return world.instances().stream().map(running -> running.id).collect(Collectors.toSet());
  }

  /** How many grants and checks it judged. */
  int judged() {
    return judged;
  }

  void grants(Known known, LockTable before, Taker taker, int term) {
    judged++;
    String what = "%s got %s".formatted(taker.id(), taker.hosts());
    if (term != store.term()) {
      throw new Broken("FENCE", what + " by a grantor that was deposed");
    }
    if (before.brake().isPresent()) {
      throw new Broken("BRAKE", what);
    }
    List<String> all = submitted.getOrDefault(taker.id(), taker.hosts());
    if (!all.equals(taker.hosts())) {
      throw new Broken("I4", what + " of " + all);
    }
    against(known, before.ended(), taking(before.locks().keySet(), taker.hosts()), false)
        .ifPresent(
            why -> {
              throw new Broken("I1", what + ": " + why);
            });
    for (Ticket ticket : known.table().tickets()) {
      boolean waits = store.waits(ticket.id()) && lives(ticket, before);
      boolean earlier = ticket.seniority().compareTo(age(taker, before)) < 0;
      if (waits && earlier && !taker.id().equals(ticket.id()) && shares(ticket, taker)) {
        goesBefore(known, taker, ticket);
      }
    }
  }

  /** As etcd has it: its grantor may be wrong about it. */
  private static Seniority age(Taker taker, LockTable before) {
    return before.tickets().stream()
        .filter(ticket -> ticket.id().equals(taker.id()))
        .map(Ticket::seniority)
        .findFirst()
        .orElse(taker.age());
  }

  private static boolean lives(Ticket ticket, LockTable table) {
    return !ticket.hasAliveKey() || table.alive().contains(ticket.id());
  }

  private static boolean shares(Ticket ticket, Taker taker) {
    return ticket.hosts().stream().anyMatch(taker.hosts()::contains);
  }

  /** Somebody came first and waits on. */
  private void goesBefore(Known known, Taker taker, Ticket ticket) {
    if (blocked(known, ticket)) {
      return;
    }
    String what = "%s got %s before %s".formatted(taker.id(), taker.hosts(), ticket.id());
    if (taker.lasts() == 0) {
      throw new Broken("I3", what);
    }
    Optional<Instant> begins = begins(known, ticket);
    if (begins.isPresent() && known.at().plusSeconds(taker.lasts()).isAfter(begins.get())) {
      throw new Broken("I3", what + ", which could begin at " + begins.get());
    }
  }

  /** It waits for what nobody ends who works. */
  private boolean blocked(Known known, Ticket ticket) {
    boolean quarantined =
        ticket.hosts().stream().anyMatch(host -> quarantine(known.table().locks().get(host)));
    boolean unwanted =
        ticket.mode() == Ticket.Mode.CANDIDATE && !known.wanted().contains(ticket.id());
    Set<String> stay = new HashSet<>();
    Set<String> end = new HashSet<>();
    for (LockRecord lock : known.table().locks().values()) {
      (quarantine(lock) || known.table().lapsed(lock) ? stay : end).add(lock.host());
    }
    Taking then =
        new Taking(ticket.hosts(), stay, host -> end.contains(host), true, Asking.ONCE_OTHERS_END);
    return quarantined
        || unwanted
        || against(known, known.table().ended(), then, false).isPresent();
  }

  private static boolean quarantine(@org.jspecify.annotations.Nullable LockRecord lock) {
    return lock != null && lock.kind() == LockRecord.Kind.QUARANTINE;
  }

  /** When all it lacks ends for certain; empty when nothing says, or others wait before it. */
  private static Optional<Instant> begins(Known known, Ticket ticket) {
    Instant last = known.at();
    for (String host : ticket.hosts()) {
      LockRecord lock = known.table().locks().get(host);
      if (lock == null || known.table().lapsed(lock)) {
        continue;
      }
      if (lock.maxSeconds() == 0 || lock.grantedAt().isEmpty()) {
        return Optional.empty();
      }
      Instant ends = lock.grantedAt().get().plusSeconds(lock.maxSeconds());
      last = ends.isAfter(last) ? ends : last;
    }
    boolean lacksLocks = last.isAfter(known.at());
    boolean behind =
        known.table().tickets().stream()
            .anyMatch(
                other ->
                    other.seniority().compareTo(ticket.seniority()) < 0
                        && other.hosts().stream().anyMatch(ticket.hosts()::contains));
    return lacksLocks && !behind ? Optional.of(last) : Optional.empty();
  }

  /** A check of a batch said yes. */
  void passes(Known known, LockTable before, List<String> hosts) {
    judged++;
    Set<String> others = new HashSet<>(before.locks().keySet());
    hosts.forEach(others::remove);
    against(known, before.ended(), taking(others, hosts), true)
        .ifPresent(
            why -> {
              throw new Broken("I1", "the check of %s passed: %s".formatted(hosts, why));
            });
  }

  /** Instances of these hosts are stopped now. */
  void touches(Instant now, String grant, List<String> hosts, LockTable table) {
    Known known = knows(now, table, Set.of());
    Taking alone = new Taking(hosts, Set.of(), _ -> true, true, Asking.NOW);
    against(known, Map.of(), alone, true)
        .filter(why -> why.contains("the approval of"))
        .ifPresent(
            why -> {
              throw new Broken("I1", "%s touched %s: %s".formatted(grant, hosts, why));
            });
    for (String host : hosts) {
      LockRecord lock = table.locks().get(host);
      boolean open =
          lock != null && lock.id().equals(grant) && lock.stage() == LockRecord.Stage.OPEN;
      if (!open) {
        throw new Broken("I4", "%s touched %s of %s, not open".formatted(grant, host, hosts));
      }
    }
  }

  /** Whether these could ever be taken as things are, when nobody has anything. */
  boolean feasible(Instant now, List<String> hosts) {
    Map<String, Report> reports = new TreeMap<>();
    world.hosts().forEach(host -> reports.put(host.source, world.read(host.source, 0)));
    Known known = new Known(now, reports, store.table(), Set.of(), Map.of());
    Taking alone = new Taking(hosts, Set.of(), host -> true, true, Asking.EVER);
    return against(known, Map.of(), alone, true).isEmpty();
  }

  /**
   * Hosts to be taken while others are down.
   *
   * @param counts hosts that count as up whatever was seen of them
   * @param anyEffect whether hosts nobody saw since the last work count as up as well
   */
  private record Taking(
      Collection<String> hosts,
      Set<String> down,
      Predicate<String> counts,
      boolean anyEffect,
      Asking asking) {}

  /** What of controllers counts. */
  private enum Asking {
    NOW,
    /** Only that they said no. */
    ONCE_OTHERS_END,
    /** They may approve some day. */
    EVER
  }

  private static Taking taking(Set<String> held, Collection<String> hosts) {
    return new Taking(hosts, Set.copyOf(held), host -> false, false, Asking.NOW);
  }

  private static Optional<String> controller(
      Known known, Taking taking, String topic, List<OwnPolicy.One> instances, boolean begun) {
    Heard heard = known.heard().getOrDefault(topic, new Heard(List.of()));
    Set<String> taken =
        instances.stream()
            .filter(OwnPolicy.One::taken)
            .map(OwnPolicy.One::id)
            .collect(Collectors.toSet());
    Set<String> down =
        instances.stream()
            .filter(one -> !one.up())
            .map(OwnPolicy.One::id)
            .collect(Collectors.toSet());
    return switch (taking.asking()) {
      case NOW -> heard.against(taken, down, known.at(), begun);
      case ONCE_OTHERS_END ->
          heard.no(taken, known.at()) ? Optional.of("the controller said no") : Optional.empty();
      case EVER -> Optional.empty();
    };
  }

  private Optional<String> against(
      Known known, Map<String, Ended> ended, Taking taking, boolean begun) {
    Map<String, List<OwnPolicy.One>> instances = new TreeMap<>();
    Set<String> touched = new HashSet<>();
    Map<String, OwnPolicy> policies = policies();
    for (Report report : known.newest().values()) {
      boolean fresh = age(report, known.at()) <= REPORT_AGE_MAX_SECONDS;
      for (Report.Seen seen : report.instances()) {
        OwnPolicy policy = policies.get(seen.application());
        boolean taken = taking.hosts().contains(seen.host());
        long effect =
            Math.max(
                world.host(seen.host()).effect,
                ended.containsKey(seen.host()) ? ended.get(seen.host()).mark() : 0);
        boolean observed = report.mark() >= effect;
        boolean well =
            observed
                && fresh
                && seen.health() == Health.HEALTHY
                && policy != null
                && age(report, known.at()) <= policy.healthAgeMax;
        boolean presumed = taking.counts().test(seen.host()) || (taking.anyEffect() && !observed);
        boolean up = !taking.down().contains(seen.host()) && (presumed || well);
        instances
            .computeIfAbsent(seen.application(), name -> new ArrayList<>())
            .add(new OwnPolicy.One(seen.id(), seen.zone(), seen.capacity(), up, taken));
        if (taken) {
          touched.add(seen.application());
        }
      }
    }
    for (String host : taking.hosts()) {
      Report report = known.newest().get(world.host(host).source);
      if (report == null || age(report, known.at()) > REPORT_AGE_MAX_SECONDS) {
        return Optional.of("nobody knows what runs on " + host);
      }
    }
    for (String application : touched) {
      OwnPolicy policy = policies.get(application);
      if (policy == null) {
        return Optional.of(application + " has no policy");
      }
      List<OwnPolicy.One> all = instances.getOrDefault(application, List.of());
      Optional<String> why =
          policy
              .against(all, known.at(), begun)
              .or(
                  () ->
                      policy.controller.flatMap(
                          topic -> controller(known, taking, topic, all, begun)));
      if (why.isPresent()) {
        return Optional.of(application + ": " + why.get());
      }
    }
    return Optional.empty();
  }

  private Map<String, OwnPolicy> policies() {
    Map<String, OwnPolicy> policies = new HashMap<>();
    for (String text : store.policies().values()) {
      OwnPolicy policy = parsed.computeIfAbsent(text, OwnPolicy::new);
      policy.applications.forEach(application -> policies.put(application, policy));
    }
    return policies;
  }

  private static double age(Report report, Instant now) {
    return Duration.between(report.at(), now).toMillis() / 1000.0;
  }
}
