package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.explorer.Rules.Broken;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Visits every state that can be reached, breadth first, and holds each decision against the rules.
 * At the end every batch must be over in the end: from every state, if everybody goes on with what
 * there is to be done and nothing goes wrong any more.
 */
final class Explorer {
  /** More than any scenario has; a mistake in the model would run for hours. */
  private static final int STATES_MAX = 3_000_000;

  private final Scenario scenario;
  private final Moves moves;
  private final BatchState start;
  private final Map<StateHash.Key, Integer> numbers = new HashMap<>();
  private final Deque<BatchState> frontier = new ArrayDeque<>();
  private final Map<String, String> names = new HashMap<>();
  private final List<String> how = new ArrayList<>();
  private final Map<String, String> broken = new TreeMap<>();
  private final Traces traces;
  private int[] parents = new int[1024];

  /** The state that follows if everybody goes on; -1 for a batch that is over, -2 for none. */
  private int[] next = new int[1024];

  private int edges;

  /** An explorer of what is decided today. */
  Explorer(Scenario scenario) {
    this(scenario, Bug.NONE, _ -> false);
  }

  Explorer(Scenario scenario, Bug bug, Predicate<Phase> marks) {
    this.scenario = scenario;
    start = Start.of(scenario);
    moves = new Moves(scenario, bug, marks);
    traces = new Traces();
  }

  /**
   * What was visited.
   *
   * @param broken rules that do not hold, each with the shortest way there
   * @param faults what went wrong at least once
   */
  record Seen(
      int states, int moves, Map<String, String> broken, Set<Fault> faults, Traces traces) {}

  /** Visits everything. */
  Seen explore() {
    return explore(_ -> false);
  }

  /** Visits until a rule is broken that fits. */
  Seen explore(Predicate<String> stop) {
    visit(start, -1, "start");
    for (int state = 0; !frontier.isEmpty(); state++) {
      BatchState batchState = frontier.remove();
      if (batchState.over()) {
        next[state] = -1;
        continue;
      }
      follow(state, batchState);
      if (broken.keySet().stream().anyMatch(stop)) {
        return seen();
      }
      if (numbers.size() > STATES_MAX) {
        throw new IllegalStateException(scenario.name() + " has too many states");
      }
    }
    ends();
    return seen();
  }

  private Seen seen() {
    return new Seen(numbers.size(), edges, broken, moves.struck(), traces);
  }

  private void follow(int state, BatchState batchState) {
    next[state] = -2;
    for (Steps.Move move : moves.from(batchState)) {
      edges++;
      for (Broken rule : move.broken()) {
        broken.computeIfAbsent(rule.rule(), _ -> rule.why() + way(state) + "\n    " + move.name());
      }
      int after = visit(move.after(), state, move.name());
      traces.met(move.after(), () -> way(state) + "\n    " + move.name());
      if (move.kind() && next[state] == -2) {
        next[state] = after;
      }
    }
  }

  private int visit(BatchState batchState, int parent, String move) {
    StateHash.Key key = batchState.key();
    Integer known = numbers.get(key);
    if (known != null) {
      return known;
    }
    int number = numbers.size();
    if (number == parents.length) {
      parents = Arrays.copyOf(parents, 2 * number);
      next = Arrays.copyOf(next, 2 * number);
    }
    numbers.put(key, number);
    parents[number] = parent;
    how.add(names.computeIfAbsent(move, Function.identity()));
    frontier.add(batchState);
    return number;
  }

  /** From every state the batch comes to its end. */
  private void ends() {
    int states = numbers.size();
    byte[] seen = new byte[states];
    for (int first = 0; first < states; first++) {
      int at = first;
      while (at >= 0 && seen[at] == 0) {
        seen[at] = 1;
        at = next[at];
      }
      boolean over = at == -1 || (at >= 0 && seen[at] == 2);
      byte mark = (byte) (over ? 2 : 3);
      for (int back = first; back >= 0 && seen[back] == 1; back = next[back]) {
        seen[back] = mark;
      }
      if (!over) {
        int stuck = first;
        String why = at == -2 ? "nothing goes on" : "it goes round for ever";
        broken.computeIfAbsent("ENDS", _ -> why + way(stuck));
      }
    }
  }

  private String way(int state) {
    Deque<String> steps = new ArrayDeque<>();
    for (int at = state; at > 0; at = parents[at]) {
      steps.addFirst(how.get(at));
    }
    return "\n  in scenario " + scenario.name() + " after:\n    " + String.join("\n    ", steps);
  }
}
