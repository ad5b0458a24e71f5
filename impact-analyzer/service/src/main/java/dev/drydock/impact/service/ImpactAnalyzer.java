package dev.drydock.impact.service;

import dev.drydock.impact.core.CanaryChoice;
import dev.drydock.impact.core.CanaryGate;
import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Judge;
import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.plan.Batches;
import dev.drydock.impact.plan.CompactFleet;
import dev.drydock.impact.plan.Plan;
import dev.drydock.impact.plan.PlanInput;
import dev.drydock.impact.plan.PlannedRollout;
import dev.drydock.impact.plan.Planner;
import dev.drydock.impact.plan.PolicyCanaries;
import dev.drydock.impact.plan.PriorDisruption;
import dev.drydock.impact.plan.SearchBudget;
import dev.drydock.impact.service.api.PoliciesResource;
import dev.drydock.impact.service.controllers.ControllerDispatcher;
import dev.drydock.impact.service.gates.GateWatch;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.Generation;
import dev.drydock.lock.core.LockTable;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.store.Database;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * The impact analyzer room: policies of teams, and whether hosts may go down by them. Safe for use
 * by many threads.
 */
public final class ImpactAnalyzer implements AutoCloseable {
  /** What never changes does not depend on locks. */
  private static final LockTable NO_LOCKS =
      new LockTable(0, Map.of(), List.of(), Map.of(), Set.of());

  private final PolicyStore store;
  private final PolicyReader policies;
  private final Admission admission;
  private final Jdbi jdbi;
  private final FleetReader fleets;
  private final GateWatch gates;
  private final ControllerDispatcher controllers;
  private final int batchMost;

  /**
   * What it is told besides.
   *
   * @param staleness a source whose newest report is older is not believed
   * @param prometheus where monitoring is asked about gates
   * @param batchMost at most so many hosts go together: what one grant takes
   */
  public record Settings(Duration staleness, Optional<URI> prometheus, int batchMost) {}

  /**
   * The room over one database.
   *
   * @param generation bumped by every change of a policy before it is answered
   */
  public ImpactAnalyzer(Database database, Generation generation, Settings settings) {
    this.store = new PolicyStore(database.jdbi(), generation);
    this.policies = new PolicyReader(database.jdbi());
    this.jdbi = database.jdbi();
    this.gates = new GateWatch(settings.prometheus());
    this.fleets = new FleetReader(settings.staleness(), gates, policies);
    this.controllers = new ControllerDispatcher(jdbi);
    this.batchMost = settings.batchMost();
    this.admission = new FleetAdmission(jdbi, fleets, controllers);
  }

  /** Begins to ask monitoring and controllers what verdicts need; for the server that grants. */
  public void start() {
    gates.start();
    controllers.start();
  }

  /** What the grantor asks. */
  public Admission admission() {
    return admission;
  }

  /**
   * In which batches hosts are taken, those first that most others wait for, and what rules could
   * never let go. Says nothing of applications without a policy. Joins the transaction in which a
   * submission is written.
   */
  public PlannedHosts plan(Collection<String> hosts) {
    return plan(hosts, "");
  }

  /**
   * The same for a release: how long it takes is learned from hosts that were brought to it, if
   * there are.
   */
  public PlannedHosts plan(Collection<String> hosts, String release) {
    return jdbi.inTransaction(
        handle -> {
          FleetReader.View view = fleets.read(handle, NO_LOCKS);
          Fleet fleet = view.fleet();
          Policies inForce = view.policies();
          boolean canaries = PolicyCanaries.wanted(inForce);
          LearnedDurations learned =
              LearnedDurations.read(handle, release, Policy.DEFAULT_EXPECTED_DURATION);
          SortedMap<String, Integer> durations = new TreeMap<>();
          CompactFleet compact = lasting(fleet, hosts, learned, durations);
          List<CanaryGate> gates = canaries ? gates(fleet, compact, inForce, hosts) : List.of();
          Plan plan =
              plan(
                  fleet,
                  compact,
                  inForce,
                  hosts,
                  gates,
                  SearchTimeLimit.of(hosts.size(), System::nanoTime));
          List<List<String>> batches = PolicyCanaries.batches(hosts, plan);
          return new PlannedHosts(
              batches,
              PlannedHosts.infeasible(plan, batchMost, Judge.infeasible(fleet, inForce, batches)),
              gates,
              plan,
              durations,
              PlannedHosts.Facts.of(fleet, inForce, hosts));
        });
  }

  /**
   * The fleet in numbers, work on these hosts lasting as it did so far; counts what was learned.
   */
  private static CompactFleet lasting(
      Fleet fleet,
      Collection<String> hosts,
      LearnedDurations learned,
      SortedMap<String, Integer> durations) {
    CompactFleet compact = CompactFleet.of(fleet, Policy.DEFAULT_EXPECTED_DURATION);
    long[] millis = new long[compact.hostCount()];
    Arrays.fill(millis, Policy.DEFAULT_EXPECTED_DURATION.toMillis());
    for (String host : Set.copyOf(hosts)) {
      int number = compact.hostNumber(host);
      if (number >= 0) {
        Set<String> applications =
            fleet.allocatedOn(host).stream()
                .map(FleetInstance::application)
                .collect(Collectors.toUnmodifiableSet());
        LearnedDurations.Learned one = learned.of(applications);
        millis[number] = one.time().toMillis();
        durations.merge(one.says(), 1, Integer::sum);
      }
    }
    return compact.lasting(millis);
  }

  /** At most so many hosts go together. */
  public int batchMost() {
    return batchMost;
  }

  /**
   * In which batches hosts are taken now, in the order of their first hosts. Joins the transaction
   * of the caller.
   */
  public List<List<String>> batches(Collection<String> hosts) {
    return jdbi.inTransaction(
        handle -> {
          FleetReader.View view = fleets.read(handle, NO_LOCKS);
          CompactFleet fleet = CompactFleet.of(view.fleet(), Policy.DEFAULT_EXPECTED_DURATION);
          List<List<String>> batches = new ArrayList<>();
          for (int[] batch :
              Batches.of(fleet, numbers(fleet, hosts), view.policies().zonesTogether())) {
            batches.add(Arrays.stream(batch).mapToObj(fleet::host).toList());
          }
          return batches;
        });
  }

  /**
   * What of these applications is not up on the hosts, by instance, with the reason. What is not
   * allocated there any more is not looked at.
   */
  public SortedMap<String, String> notUp(
      LockTable table, Collection<String> hosts, Collection<String> applications) {
    return jdbi.inTransaction(
        TransactionIsolationLevel.REPEATABLE_READ,
        handle -> {
          FleetReader.View view = fleets.read(handle, table);
          return Judge.notUp(
              view.fleet(), view.policies(), table.locks().keySet(), hosts, applications);
        });
  }

  /** Who goes first, by the order in which hosts were taken if nobody went first. */
  private List<CanaryGate> gates(
      Fleet fleet, CompactFleet compact, Policies policies, Collection<String> hosts) {
    Plan without = plan(fleet, compact, policies, hosts, List.of(), SearchBudget.none());
    return CanaryChoice.of(fleet, policies, PolicyCanaries.batches(hosts, without));
  }

  private Plan plan(
      Fleet fleet,
      CompactFleet compact,
      Policies policies,
      Collection<String> hosts,
      List<CanaryGate> gates,
      SearchBudget searchBudget) {
    PlanInput planInput =
        new PlanInput(
            compact,
            policies,
            fleet.now(),
            policies.zonesTogether(),
            Map.of(),
            PriorDisruption.of(fleet, compact),
            Integer.MAX_VALUE,
            batchMost,
            List.of(
                PlannedRollout.of("", numbers(compact, hosts))
                    .behind(PolicyCanaries.gates(compact, gates))));
    return Planner.plan(planInput, searchBudget);
  }

  private static int[] numbers(CompactFleet fleet, Collection<String> hosts) {
    return hosts.stream().mapToInt(fleet::hostNumber).filter(number -> number >= 0).toArray();
  }

  /** What rollouts ask about policies. */
  public PolicyReader policies() {
    return policies;
  }

  /** The resource policies. */
  public Resources resources() {
    return Resources.of(
        PoliciesResource.class,
        () -> new PoliciesResource(store, new PolicyWarnings(jdbi, policies)));
  }

  @Override
  public void close() {
    controllers.close();
    gates.close();
  }
}
