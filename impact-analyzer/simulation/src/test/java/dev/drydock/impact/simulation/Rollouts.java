package dev.drydock.impact.simulation;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Batches from their submission to their end: cordon, confirm, open, work, recover, verify. */
final class Rollouts {
  private static final double FAILS = 0.05;
  private static final double CRASHES_AFTER_RELEASE = 0.15;
  private static final double SLOW = 0.1;

  /** As the board has it: an open verdict that was asked for earlier says nothing about now. */
  private static final Duration OPEN_AGE_MAX = Duration.ofSeconds(30);

  private final Agenda agenda;
  private final SimulatedFleet simulatedFleet;
  private final Store store;
  private final Reporter reporter;
  private final Canaries canaries;
  private final Verifier verifier;
  private final Bug bug;
  private final Map<String, Batch> batches = new LinkedHashMap<>();
  private final Map<String, Batch> granted = new HashMap<>();
  private final List<Check> checks = new ArrayList<>();
  private Runnable changed = () -> {};
  private boolean calm;

  Rollouts(
      Agenda agenda,
      SimulatedFleet simulatedFleet,
      Store store,
      Reporter reporter,
      Canaries canaries,
      Verifier verifier,
      Bug bug) {
    this.agenda = agenda;
    this.simulatedFleet = simulatedFleet;
    this.store = store;
    this.reporter = reporter;
    this.canaries = canaries;
    this.verifier = verifier;
    this.bug = bug;
  }

  private enum State {
    PENDING,
    GRANTED,
    OVER
  }

  /** Hosts that are taken together or not at all. */
  private static final class Batch {
    final String id;
    final Scenario.Rollout rollout;
    final List<String> hosts;
    final Set<String> failed = new HashSet<>();
    State state = State.PENDING;
    Optional<Seniority> age = Optional.empty();
    Instant notBefore = Instant.MIN;
    String grant = "";
    Instant openAsked = Instant.MIN;
    int turns;
    int rounds;

    Batch(String id, Scenario.Rollout rollout, List<String> hosts) {
      this.id = id;
      this.rollout = rollout;
      this.hosts = hosts;
    }
  }

  void whenChanged(Runnable then) {
    changed = then;
  }

  void submit(Scenario.Rollout rollout) {
    for (List<String> hosts : rollout.batches()) {
      Batch batch = new Batch(rollout.name() + "." + batches.size(), rollout, hosts);
      batches.put(batch.id, batch);
      verifier.submitted(candidate(batch, hosts));
    }
    canaries.submitted(rollout.name(), rollout.batches());
    changed.run();
  }

  /** Nothing fails from now on. */
  void calm() {
    calm = true;
  }

  /** Batches that have not come to their end. */
  List<Candidate> left() {
    return batches.values().stream()
        .filter(batch -> batch.state != State.OVER)
        .map(batch -> candidate(batch, batch.hosts))
        .toList();
  }

  /** Who could start now: those with an age first, then by priority. */
  List<Candidate> pending() {
    return batches.values().stream()
        .filter(batch -> wanted(batch))
        .sorted(
            Comparator.comparing((Batch batch) -> batch.age.orElse(Seniority.NEWCOMER))
                .thenComparing(batch -> -batch.rollout.priority()))
        .map(batch -> candidate(batch, split(batch.hosts)))
        .toList();
  }

  private boolean wanted(Batch batch) {
    boolean forgotten = bug == Bug.FORGETS_WHO_WAITED && batch.turns > 0;
    boolean due = batch.state == State.PENDING && !batch.notBefore.isAfter(agenda.now());
    boolean waits =
        due
            && bug != Bug.FORGETS_WHO_WAITS_FOR_CANARIES
            && canaries.wait(batch.rollout.name(), batch.hosts);
    if (waits) {
      verifier.coverage().held(Coverage.CANARY);
    }
    return due && !forgotten && !waits;
  }

  private List<String> split(List<String> hosts) {
    return bug == Bug.SPLITS_BATCHES ? hosts.subList(0, 1) : hosts;
  }

  private static Candidate candidate(Batch batch, List<String> hosts) {
    String rollout = batch.rollout.name();
    return new Candidate(batch.id, rollout, hosts, rollout, "upgrade", batch.age);
  }

  List<Check> checks() {
    return List.copyOf(checks);
  }

  /** The id of the grant if this is still wanted. */
  Optional<String> propose(Candidate candidate) {
    Batch batch = batch(candidate.ticketId());
    if (batch.state != State.PENDING) {
      return Optional.empty();
    }
    return Optional.of(batch.id + "#" + (batch.turns + 1));
  }

  void committed(String grant, Candidate candidate, long revision) {
    Batch batch = batch(candidate.ticketId());
    batch.turns++;
    batch.state = State.GRANTED;
    batch.grant = grant;
    batch.age = Optional.of(candidate.seniority().orElse(new Seniority(revision, 0)));
    granted.put(grant, batch);
    agenda.in(agenda.between(0.5, 4), () -> cordon(batch));
  }

  private void cordon(Batch batch) {
    batch.hosts.forEach(host -> simulatedFleet.host(host).cordoned = true);
    sources(batch).forEach(reporter::now);
    ask(batch, Check.Kind.CONFIRM);
  }

  private Collection<String> sources(Batch batch) {
    return batch.hosts.stream().map(host -> simulatedFleet.host(host).source).distinct().toList();
  }

  private void ask(Batch batch, Check.Kind kind) {
    batch.openAsked = agenda.now();
    checks.add(new Check(batch.grant, kind, ++batch.rounds, batch.hosts));
    changed.run();
  }

  void checked(Check check, Verdict verdict) {
    if (!checks.remove(check)) {
      return;
    }
    Batch batch = granted.get(check.grantId());
    if (batch == null) {
      throw new IllegalStateException("nobody asked for " + check);
    }
    if (!verdict.granted()) {
      giveUp(batch);
    } else if (check.kind() == Check.Kind.CONFIRM) {
      double hooks = agenda.chance(0.1) ? agenda.between(30, 200) : agenda.between(0, 10);
      agenda.in(hooks, () -> ask(batch, Check.Kind.OPEN));
    } else {
      boolean slow = !calm && agenda.chance(SLOW);
      double claims = slow ? agenda.between(10, 90) : agenda.between(0.1, 3);
      agenda.in(claims, () -> undeploy(batch, verdict));
    }
  }

  /** Only what was done is undone: the cordon. */
  private void giveUp(Batch batch) {
    batch.hosts.forEach(host -> simulatedFleet.host(host).cordoned = false);
    store.end(batch.grant);
    batch.state = State.PENDING;
    batch.notBefore = agenda.now().plusSeconds(agenda.whole(20, 60));
    changed.run();
  }

  /** As the board does: what its open check rests on must not have ended. */
  private void undeploy(Batch batch, Verdict opened) {
    boolean ended = opened.until().filter(until -> !until.isAfter(agenda.now())).isPresent();
    boolean old = !batch.openAsked.isAfter(agenda.now().minus(OPEN_AGE_MAX));
    if (old) {
      verifier.coverage().held(Coverage.OPEN_VERDICT);
    }
    if ((ended && bug != Bug.BEGINS_AFTER_THE_APPROVAL_ENDED)
        || (old && bug != Bug.BEGINS_HOWEVER_OLD_THE_VERDICT)) {
      ask(batch, Check.Kind.OPEN);
      return;
    }
    verifier.touches(agenda.now(), batch.grant, batch.hosts, store.table());
    batch.hosts.forEach(host -> simulatedFleet.work(host, batch.grant));
    agenda.in(agenda.between(30, 300), () -> upgraded(batch));
  }

  private void upgraded(Batch batch) {
    if (!calm && agenda.chance(FAILS)) {
      String failed = agenda.oneOf(batch.hosts);
      batch.failed.add(failed);
      canaries.ended(batch.rollout.name(), failed, false);
      store.change(
          store.locksOf(batch.grant).stream()
              .filter(lock -> lock.host().equals(failed))
              .map(lock -> lock.quarantined("it did not come back"))
              .toList());
      batch.hosts.stream()
          .filter(host -> !host.equals(failed))
          .forEach(host -> recover(batch, host));
      if (agenda.chance(0.5)) {
        simulatedFleet.workEnds(failed, batch.grant); // It runs, but not as it should.
      }
      agenda.in(agenda.between(200, 900), () -> recover(batch, failed));
    } else {
      batch.hosts.forEach(host -> recover(batch, host));
    }
  }

  private void recover(Batch batch, String name) {
    SimulatedFleet.Host host = simulatedFleet.host(name);
    host.effect = simulatedFleet.mark();
    host.workers.remove(batch.grant);
    host.cordoned = false;
    simulatedFleet.instances().stream()
        .filter(instance -> instance.host == host)
        .forEach(instance -> simulatedFleet.sick(instance, agenda.between(1, 15)));
    agenda.in(agenda.between(1, 5), () -> verify(batch, name));
  }

  /** The reading that verifies it is the first one that counts. */
  private void verify(Batch batch, String name) {
    SimulatedFleet.Host host = simulatedFleet.host(name);
    if (!simulatedFleet.allHealthyOn(name)) {
      agenda.in(agenda.between(1, 10), () -> verify(batch, name));
      return;
    }
    long mark = simulatedFleet.mark();
    reporter.now(host.source);
    List<LockRecord> left =
        store.locksOf(batch.grant).stream().filter(lock -> lock.host().equals(name)).toList();
    left.forEach(lock -> store.end(lock, mark));
    if (!batch.failed.contains(name)) {
      canaries.ended(batch.rollout.name(), name, true);
    }
    if (store.locksOf(batch.grant).isEmpty()) {
      batch.state = State.OVER;
    }
    if (!calm && agenda.chance(CRASHES_AFTER_RELEASE)) {
      agenda.in(agenda.between(0.1, 10), () -> simulatedFleet.crash(name, agenda.between(20, 120)));
    }
    changed.run();
  }

  private Batch batch(String id) {
    Batch batch = batches.get(id);
    if (batch == null) {
      throw new IllegalStateException("nobody submitted " + id);
    }
    return batch;
  }
}
