package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes work out of a situation, and names the hosts of which none can be made. */
final class PlanProblemCompiler {
  private final PlanInput planInput;
  private final PlanLimits planLimits = new PlanLimits();
  private final RuleLimits rules;
  private final UnitRows rows;
  private final int hostsAtOnce;
  private final IntList hosts = new IntList();
  private final IntList hostFirst = new IntList();
  private final IntList rowFirst = new IntList();
  private final IntList rowLimit = new IntList();
  private final IntList rowTakes = new IntList();
  private final IntList rollout = new IntList();
  private final List<Long> millis = new ArrayList<>();
  private final List<Long> downUntil = new ArrayList<>();
  private final List<PlanProblem.Canaries> canaries = new ArrayList<>();
  private final List<PlanProblem.Opening> openings = new ArrayList<>();
  private final List<Infeasible> infeasible = new ArrayList<>();
  private final List<Plan.Waiting> held = new ArrayList<>();

  private PlanProblemCompiler(PlanInput planInput) {
    this.planInput = planInput;
    this.rules = new RuleLimits(planInput.fleet(), planInput.policies(), planLimits);
    this.hostsAtOnce =
        planInput.hostsMost() == Integer.MAX_VALUE
            ? -1
            : planLimits.capacity(
                -1, planInput.hostsMost() + " hosts at once", planInput.hostsMost());
    this.rows = new UnitRows(planInput, rules, planLimits, openings);
  }

  static PlanProblem compile(PlanInput planInput) {
    PlanProblemCompiler planProblemCompiler = new PlanProblemCompiler(planInput);
    planProblemCompiler.down();
    for (int number = 0; number < planInput.rollouts().size(); number++) {
      planProblemCompiler.rollout(number, planInput.rollouts().get(number));
    }
    return planProblemCompiler.work();
  }

  private void down() {
    for (Map.Entry<Integer, Long> entry : new TreeMap<>(planInput.down()).entrySet()) {
      rows.count(new int[] {entry.getKey()});
      rows.stopsWhatIsUnknown();
      add(new int[] {entry.getKey()}, -1, Math.max(0, entry.getValue()));
    }
  }

  private void rollout(int number, PlannedRollout wanted) {
    int[][] batches = Batches.of(planInput.fleet(), wanted.hosts(), planInput.allOrNone());
    int gate = wanted.canaryHosts() == 0 ? -1 : planLimits.gate(canaryRule(wanted));
    PolicyGates gates = new PolicyGates(wanted.gates(), planLimits);
    List<Integer> units = new ArrayList<>();
    for (int[] batch : batches) {
      rows.count(batch, gates.behind(batch, gate));
      UnitRows.Against against = rows.against(batch);
      List<String> never = tooLarge(batch).map(List::of).orElse(against.never());
      if (!never.isEmpty()) {
        infeasible.add(new Infeasible(names(batch), never));
        gates.canary(batch, PolicyGates.NO_UNIT);
      } else if (!against.now().isEmpty()) {
        held.add(new Plan.Waiting(wanted.id(), names(batch), String.join("; ", against.now())));
        gates.canary(batch, PolicyGates.NO_UNIT);
      } else {
        units.add(hostFirst.size());
        gates.canary(batch, hostFirst.size());
        add(batch, number, -1);
      }
    }
    if (gate >= 0) {
      canaries(wanted, gate, units);
    }
    canaries.addAll(gates.canaries());
  }

  private Optional<String> tooLarge(int[] batch) {
    if (batch.length > planInput.batchMost()) {
      return Optional.of(
          "%s: these %d hosts go together, and one grant takes at most %d"
              .formatted(
                  Batches.zones(planInput.fleet(), batch, planInput.allOrNone()),
                  batch.length,
                  planInput.batchMost()));
    }
    return batch.length > planInput.hostsMost()
        ? Optional.of(
            "%d hosts go together, and %d may at once"
                .formatted(batch.length, planInput.hostsMost()))
        : Optional.empty();
  }

  private static String canaryRule(PlannedRollout wanted) {
    return "canary of rollout %s: %d hosts first, watched for %d s"
        .formatted(wanted.id(), wanted.canaryHosts(), wanted.soak().toSeconds());
  }

  /** Those that take least go first: what goes wrong with them hurts least. */
  private void canaries(PlannedRollout wanted, int gate, List<Integer> units) {
    List<Integer> smallest = new ArrayList<>(units);
    smallest.sort(Comparator.comparingInt(this::takes));
    IntList chosen = new IntList();
    int count = 0;
    for (int unit : smallest) {
      if (count < wanted.canaryHosts()) {
        chosen.add(unit);
        count +=
            (unit + 1 < hostFirst.size() ? hostFirst.get(unit + 1) : hosts.size())
                - hostFirst.get(unit);
        free(unit, gate);
      }
    }
    canaries.add(new PlanProblem.Canaries(gate, chosen.all(), wanted.soak().toMillis()));
  }

  private int takes(int unit) {
    int end = unit + 1 < rowFirst.size() ? rowFirst.get(unit + 1) : rowLimit.size();
    int takes = 0;
    for (int row = rowFirst.get(unit); row < end; row++) {
      takes += planLimits.kind(rowLimit.get(row)) == PlanLimits.CAPACITY ? rowTakes.get(row) : 0;
    }
    return takes;
  }

  /** A canary does not wait for itself: the last row of its unit, the gate, takes nothing. */
  private void free(int unit, int gate) {
    int last = (unit + 1 < rowFirst.size() ? rowFirst.get(unit + 1) : rowLimit.size()) - 1;
    if (rowLimit.get(last) != gate) {
      throw new IllegalStateException("unit " + unit + " does not end with its gate");
    }
    rowTakes.set(last, 0);
  }

  private void add(int[] batch, int ofRollout, long until) {
    hostFirst.add(hosts.size());
    rowFirst.add(rowLimit.size());
    long longest = 0;
    for (int host : batch) {
      hosts.add(host);
      longest = Math.max(longest, planInput.fleet().millis(host));
    }
    if (hostsAtOnce >= 0) {
      rowLimit.add(hostsAtOnce);
      rowTakes.add(batch.length);
    }
    rows.appendTo(rowLimit, rowTakes);
    millis.add(longest);
    rollout.add(ofRollout);
    downUntil.add(until);
  }

  /** What still counts in a rate when the plan begins. */
  private List<PlanProblem.Past> past() {
    List<PlanProblem.Past> past = new ArrayList<>();
    for (PriorDisruption one : planInput.past()) {
      for (int limit : rules.of(one.application()).plain()) {
        if (planLimits.kind(limit) == PlanLimits.RATE
            && one.agoMillis() < planLimits.millis(limit)) {
          past.add(new PlanProblem.Past(limit, one.agoMillis()));
        }
      }
    }
    return past;
  }

  private List<String> names(int[] batch) {
    return Arrays.stream(batch).mapToObj(planInput.fleet()::host).toList();
  }

  private PlanProblem work() {
    final List<PlanProblem.Past> past = past();
    hostFirst.add(hosts.size());
    rowFirst.add(rowLimit.size());
    int[] firsts = rowFirst.all();
    int[] limitOf = rowLimit.all();
    int[] takesOf = rowTakes.all();
    WatchOrder.sort(planLimits, firsts, limitOf, takesOf);
    return new PlanProblem(
        planInput.fleet(),
        planInput.begin(),
        planLimits,
        hosts.all(),
        hostFirst.all(),
        millis.stream().mapToLong(one -> one).toArray(),
        firsts,
        limitOf,
        takesOf,
        rollout.all(),
        planInput.standing(),
        downUntil.stream().mapToLong(one -> one).toArray(),
        List.copyOf(canaries),
        List.copyOf(openings),
        past,
        List.copyOf(infeasible),
        List.copyOf(held),
        rules.assumed());
  }
}
