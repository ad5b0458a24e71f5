package dev.drydock.lock.explorer;

import dev.drydock.lock.explorer.Model.Phase;
import dev.drydock.lock.explorer.Model.Row;
import dev.drydock.lock.explorer.Scenario.Fault;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Visits every state that can be reached, breadth first, and holds each against the rules. At the
 * end every request must be served or gone in the end: from every state there is a way, of expected
 * moves alone, to where it is.
 */
final class Explorer {
  /** More than any scenario has; a mistake in the model would run for hours. */
  private static final int STATES_MAX = 3_000_000;

  private final Scenario scenario;
  private final Moves moves;
  private final StateCanonicalizer stateCanonicalizer = new StateCanonicalizer();
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Deque<Model> frontier = new ArrayDeque<>();
  private final Growing parents = new Growing();
  private final List<String> how = new ArrayList<>();
  private final Map<String, String> names = new HashMap<>();
  private final Growing from = new Growing();
  private final Growing to = new Growing();
  private final List<BitSet> done = new ArrayList<>();
  private int edges;

  Explorer(Scenario scenario, Parts parts, boolean policyBumps) {
    this.scenario = scenario;
    moves = new Moves(parts, scenario, policyBumps);
    scenario.requests().forEach(request -> done.add(new BitSet()));
  }

  /**
   * What was visited.
   *
   * @param faults what went wrong at least once
   */
  record Seen(int states, int moves, Set<Fault> faults) {}

  /**
   * Visits everything.
   *
   * @throws Violation with the shortest way there, at the first rule that is broken
   */
  Seen explore() {
    visit(Moves.start(scenario), -1, "start");
    for (int state = 0; !frontier.isEmpty(); state++) {
      Model model = frontier.remove();
      List<Steps.Move> next;
      try {
        Rules.always(model);
        next = moves.from(model);
      } catch (Violation broken) {
        throw new Violation(broken.getMessage() + way(state));
      }
      for (Steps.Move move : next) {
        edges++;
        int after = visit(move.after(), state, move.name());
        if (move.expected() && after != state) {
          from.add(state);
          to.add(after);
        }
      }
      if (numbers.size() > STATES_MAX) {
        throw new IllegalStateException(scenario.name() + " has too many states");
      }
    }
    for (int i = 0; i < done.size(); i++) {
      servedInTheEnd(i);
    }
    return new Seen(numbers.size(), edges, moves.struck());
  }

  private int visit(Model model, int parent, String move) {
    if (model.total == 0) {
      Arrays.fill(model.left, 0);
    }
    String key = stateCanonicalizer.renumber(model);
    Integer known = numbers.get(key);
    if (known != null) {
      return known;
    }
    int number = numbers.size();
    numbers.put(key, number);
    parents.add(parent);
    how.add(names.computeIfAbsent(move, Function.identity()));
    frontier.add(model);
    for (int i = 0; i < done.size(); i++) {
      if (over(model, i)) {
        done.get(i).set(number);
      }
    }
    return number;
  }

  private static boolean over(Model model, int i) {
    boolean served =
        model.request(i).foreign()
            ? model.phase[i].ordinal() >= Phase.OVER.ordinal()
            : model.row[i] == Row.DONE;
    return served || Rules.quarantined(model, i);
  }

  private void servedInTheEnd(int i) {
    int states = numbers.size();
    int[] first = new int[states + 1];
    for (int e = 0; e < to.size(); e++) {
      first[to.get(e) + 1]++;
    }
    for (int s = 0; s < states; s++) {
      first[s + 1] += first[s];
    }
    int[] sources = new int[to.size()];
    int[] at = first.clone();
    for (int e = 0; e < to.size(); e++) {
      sources[at[to.get(e)]++] = from.get(e);
    }
    BitSet can = (BitSet) done.get(i).clone();
    Deque<Integer> left = new ArrayDeque<>();
    can.stream().forEach(left::add);
    while (!left.isEmpty()) {
      int state = left.remove();
      for (int e = first[state]; e < first[state + 1]; e++) {
        if (!can.get(sources[e])) {
          can.set(sources[e]);
          left.add(sources[e]);
        }
      }
    }
    int stuck = can.nextClearBit(0);
    if (stuck < states) {
      throw new Violation(
          "SERVED: " + scenario.requests().get(i) + " can wait for ever" + way(stuck));
    }
  }

  private String way(int state) {
    Deque<String> steps = new ArrayDeque<>();
    for (int at = state; at > 0; at = parents.get(at)) {
      steps.addFirst(how.get(at));
    }
    return "\n  in scenario " + scenario.name() + " after:\n    " + String.join("\n    ", steps);
  }

  /** A list of numbers that may become long. */
  private static final class Growing {
    private int[] numbers = new int[1024];
    private int size;

    void add(int number) {
      if (size == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * size);
      }
      numbers[size++] = number;
    }

    int get(int index) {
      return numbers[index];
    }

    int size() {
      return size;
    }
  }
}
