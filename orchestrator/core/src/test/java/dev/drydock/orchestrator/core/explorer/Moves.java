package dev.drydock.orchestrator.core.explorer;

import dev.drydock.orchestrator.core.batch.BatchPlanner;
import dev.drydock.orchestrator.core.explorer.Decisions.Decided;
import dev.drydock.orchestrator.core.model.Phase;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * All that can happen next in a state: somebody decides, the board and the grantor go on, people
 * answer, or something goes wrong.
 */
final class Moves {
  private final Rules rules = new Rules();
  private final Interpreter interpreter;
  private final Steps steps;
  private final BoardMoves board;
  private final PeopleMoves people;
  private final OutageMoves outages;

  /**
   * Moves.
   *
   * @param marks the phases in which states are told apart by what goes wrong first
   */
  Moves(Scenario scenario, Bug bug, Predicate<Phase> marks) {
    Decisions decisions =
        new Decisions(
            rows -> bug.decides().apply(rows, BatchPlanner.decide(bug.reads().apply(rows))));
    interpreter = new Interpreter(decisions, rules, bug);
    steps = new Steps(rules, Start.of(scenario), marks);
    board = new BoardMoves(steps, rules, scenario, bug);
    people = new PeopleMoves(steps, scenario);
    outages = new OutageMoves(steps);
  }

  Set<Fault> struck() {
    return steps.struck();
  }

  /** The moves out of a state, those first that everybody goes on with. */
  List<Steps.Move> from(BatchState batchState) {
    Decided decided = interpreter.decided(batchState.rows);
    boolean rests = interpreter.rests(batchState);
    steps.begin(batchState, decided.phase(), !rests);
    if (!rests) {
      BatchState after = batchState.copied();
      List<Interpreter.Cut> cuts = interpreter.drive(after);
      steps.decision(after, cuts, rules.taken());
    }
    if (!batchState.rows.grant().alive()) {
      // Only its hold is left, or what consumers of a batch that ended do.
      steps.kind(
          "the hold ends",
          after -> {
            after.endHold();
            rules.holdOver(after);
          });
      return steps.all();
    }
    board.moves();
    people.moves();
    boolean lives = steps.all().stream().anyMatch(Steps.Move::kind);
    people.taken(lives);
    outages.moves();
    return steps.all();
  }
}
