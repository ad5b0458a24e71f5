package dev.drydock.impact.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes work out of a situation, and names the hosts of which none can be made. */
final class Compiler {
  private final Situation situation;
  private final Limits limits = new Limits();
  private final RuleLimits rules;
  private final UnitRows rows;
  private final int hostsAtOnce;
  private final Ints hosts = new Ints();
  private final Ints hostFirst = new Ints();
  private final Ints rowFirst = new Ints();
  private final Ints rowLimit = new Ints();
  private final Ints rowTakes = new Ints();
  private final Ints rollout = new Ints();
  private final List<Long> millis = new ArrayList<>();
  private final List<Long> downUntil = new ArrayList<>();
  private final List<Work.Canaries> canaries = new ArrayList<>();
  private final List<Work.Opening> openings = new ArrayList<>();
  private final List<Infeasible> infeasible = new ArrayList<>();
  private final List<Plan.Waiting> held = new ArrayList<>();

  private Compiler(Situation situation) {
    this.situation = situation;
    this.rules = new RuleLimits(situation.fleet(), situation.policies(), limits);
    this.hostsAtOnce =
        situation.hostsMost() == Integer.MAX_VALUE
            ? -1
            : limits.capacity(-1, situation.hostsMost() + " hosts at once", situation.hostsMost());
    this.rows = new UnitRows(situation, rules, limits, openings);
  }

  static Work compile(Situation situation) {
    Compiler compiler = new Compiler(situation);
    compiler.down();
    for (int number = 0; number < situation.rollouts().size(); number++) {
      compiler.rollout(number, situation.rollouts().get(number));
    }
    return compiler.work();
  }

  private void down() {
    for (Map.Entry<Integer, Long> entry : new TreeMap<>(situation.down()).entrySet()) {
      rows.count(new int[] {entry.getKey()});
      rows.stopsWhatIsUnknown();
      add(new int[] {entry.getKey()}, -1, Math.max(0, entry.getValue()));
    }
  }

  private void rollout(int number, Rollout wanted) {
    int[][] batches = Batches.of(situation.fleet(), wanted.hosts(), situation.allOrNone());
    int gate = wanted.canaryHosts() == 0 ? -1 : limits.gate(canaryRule(wanted));
    PolicyGates gates = new PolicyGates(wanted.gates(), limits);
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
    if (batch.length > situation.batchMost()) {
      return Optional.of(
          "%s: these %d hosts go together, and one grant takes at most %d"
              .formatted(
                  Batches.zones(situation.fleet(), batch, situation.allOrNone()),
                  batch.length,
                  situation.batchMost()));
    }
    return batch.length > situation.hostsMost()
        ? Optional.of(
            "%d hosts go together, and %d may at once"
                .formatted(batch.length, situation.hostsMost()))
        : Optional.empty();
  }

  private static String canaryRule(Rollout wanted) {
    return "canary of rollout %s: %d hosts first, watched for %d s"
        .formatted(wanted.id(), wanted.canaryHosts(), wanted.soak().toSeconds());
  }

  /** Those that take least go first: what goes wrong with them hurts least. */
  private void canaries(Rollout wanted, int gate, List<Integer> units) {
    List<Integer> smallest = new ArrayList<>(units);
    smallest.sort(Comparator.comparingInt(this::takes));
    Ints chosen = new Ints();
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
    canaries.add(new Work.Canaries(gate, chosen.all(), wanted.soak().toMillis()));
  }

  private int takes(int unit) {
    int end = unit + 1 < rowFirst.size() ? rowFirst.get(unit + 1) : rowLimit.size();
    int takes = 0;
    for (int row = rowFirst.get(unit); row < end; row++) {
      takes += limits.kind(rowLimit.get(row)) == Limits.CAPACITY ? rowTakes.get(row) : 0;
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
      longest = Math.max(longest, situation.fleet().millis(host));
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
  private List<Work.Past> past() {
    List<Work.Past> past = new ArrayList<>();
    for (Disrupted one : situation.past()) {
      for (int limit : rules.of(one.application()).plain()) {
        if (limits.kind(limit) == Limits.RATE && one.agoMillis() < limits.millis(limit)) {
          past.add(new Work.Past(limit, one.agoMillis()));
        }
      }
    }
    return past;
  }

  private List<String> names(int[] batch) {
    return Arrays.stream(batch).mapToObj(situation.fleet()::host).toList();
  }

  private Work work() {
    final List<Work.Past> past = past();
    hostFirst.add(hosts.size());
    rowFirst.add(rowLimit.size());
    int[] firsts = rowFirst.all();
    int[] limitOf = rowLimit.all();
    int[] takesOf = rowTakes.all();
    WatchOrder.sort(limits, firsts, limitOf, takesOf);
    return new Work(
        situation.fleet(),
        situation.begin(),
        limits,
        hosts.all(),
        hostFirst.all(),
        millis.stream().mapToLong(one -> one).toArray(),
        firsts,
        limitOf,
        takesOf,
        rollout.all(),
        situation.standing(),
        downUntil.stream().mapToLong(one -> one).toArray(),
        List.copyOf(canaries),
        List.copyOf(openings),
        past,
        List.copyOf(infeasible),
        List.copyOf(held),
        rules.assumed());
  }
}
