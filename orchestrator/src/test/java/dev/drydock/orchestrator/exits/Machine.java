package dev.drydock.orchestrator.exits;

import dev.drydock.api.DecisionState;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobState;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.core.model.NamedConstant;
import dev.drydock.orchestrator.core.model.Phase;
import dev.drydock.orchestrator.core.model.Remediation;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * States of which each is ended by something, as the code lists them.
 *
 * @param about one sentence for the reader of the table
 * @param last whether nothing follows a state
 * @param exits the ways out that its states have
 * @param without ways out that a state does not have, as STATE and EXIT, each with the reason
 * @param unshown ways out that are explored and that no test shows, each with the reason
 * @param unexplored what tests show and the explorer never reaches, as STATE, EXIT and END, each
 *     with the reason
 */
record Machine(
    String name,
    String about,
    List<String> states,
    Predicate<String> last,
    Set<Exit> exits,
    Map<String, String> without,
    Map<String, String> unshown,
    Map<String, String> unexplored) {

  private static final String PEOPLE = "none: it lasts until people end it";
  private static final String BY_ITS_PHASES = "none of its own: its batches have those of Phase";
  private static final String BY_PHASE = "as Phase says";
  private static final String AS_IN_DRAIN =
      "one rule for all phases: hosts leave, and nothing is undone";

  Machine(
      String name,
      String about,
      List<String> states,
      Predicate<String> last,
      Map<String, String> without) {
    this(
        name,
        about,
        states,
        last,
        EnumSet.complementOf(EnumSet.of(Exit.BROKEN_GLASS)),
        without,
        Map.of(),
        Map.of());
  }

  /** The same as far as the explorer goes: its hosts may be taken away as well. */
  private Machine explored(Map<String, String> unexplored) {
    Map<String, String> unshown = new HashMap<>();
    for (String state : states) {
      if (!state.equals(Phase.DRAIN.name())) {
        unshown.put(state + " " + Exit.BROKEN_GLASS.word(), AS_IN_DRAIN);
      }
    }
    return new Machine(
        name, about, states, last, EnumSet.allOf(Exit.class), without, unshown, unexplored);
  }

  static List<Machine> all() {
    return List.of(
        of(
                Phase.class,
                "Where a batch is; the end is that of its host. Pending: it went back and is tried"
                    + " again after its back-off.",
                phase -> false,
                Map.of())
            .explored(
                Map.of(
                    "VERIFY failure Upgraded",
                    "a Verify that fails says what is so: it goes on, and nothing went wrong")),
        of(
            HostUpgradeState.class,
            "Where a host is in its rollout.",
            Machine::last,
            Map.of(
                "Pending time-out", "none: it waits, and is told for what",
                "InProgress abort", BY_PHASE,
                "InProgress time-out", BY_PHASE,
                "InProgress failure", BY_PHASE,
                "InProgress crash", BY_PHASE)),
        of(
            RolloutState.class,
            "Where a rollout is.",
            Machine::last,
            Map.of(
                "Scheduled failure", "none: nothing is done in it",
                "Running time-out", BY_ITS_PHASES,
                "Paused time-out", PEOPLE,
                "Aborting time-out", BY_ITS_PHASES)),
        of(
            DecisionState.class,
            "Where something that people are asked to decide is.",
            Machine::last,
            Map.of()),
        new Machine(
            name(Remediation.State.class),
            "Where a remediation of a step that failed on a host is.",
            Arrays.stream(Remediation.State.values()).map(Remediation.State::word).toList(),
            state -> NamedConstant.of(Remediation.State.class, state) != Remediation.State.OPEN,
            Map.of()),
        of(
            JobState.class,
            "Where a job is.",
            Machine::last,
            Map.of("Pending failure", "none: nobody works on it")));
  }

  /** What the table calls an enum: one named State is called as what it is the state of. */
  static String name(Class<?> states) {
    Class<?> of = states.getEnclosingClass();
    return of != null && states.getSimpleName().equals("State")
        ? of.getSimpleName() + "State"
        : states.getSimpleName();
  }

  private static <E extends Enum<E>> Machine of(
      Class<E> states, String about, Predicate<E> last, Map<String, String> without) {
    List<String> names =
        Arrays.stream(states.getEnumConstants())
            .map(Enum::name)
            .filter(name -> !name.startsWith("$"))
            .toList();
    return new Machine(
        name(states), about, names, name -> last.test(Enum.valueOf(states, name)), without);
  }

  private static boolean last(HostUpgradeState state) {
    return switch (state) {
      case Pending, InProgress -> false;
      case Upgraded, Skipped, Reverted, Quarantined, Cancelled, $UNKNOWN -> true;
    };
  }

  private static boolean last(RolloutState state) {
    return switch (state) {
      case Scheduled, Running, Paused, Aborting -> false;
      case Succeeded, Degraded, Aborted, $UNKNOWN -> true;
    };
  }

  private static boolean last(DecisionState state) {
    return switch (state) {
      case Open, AwaitsApproval -> false;
      case Answered, Expired, Over, $UNKNOWN -> true;
    };
  }

  private static boolean last(JobState state) {
    return switch (state) {
      case Pending, Claimed -> false;
      case Done, Failed, Unknown, Waited, Vetoed, Expired, Cancelled, $UNKNOWN -> true;
    };
  }
}
