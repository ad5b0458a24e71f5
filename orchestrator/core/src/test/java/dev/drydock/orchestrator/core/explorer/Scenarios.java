package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The scenarios. Each has a corner of its own; together they have everything. */
final class Scenarios {
  private static final Fault[] BOARD = {
    Fault.FAILED, Fault.UNKNOWN, Fault.SILENT, Fault.AGAIN, Fault.UNCLAIMED
  };
  private static final Fault[] OF_ALL = {
    Fault.FAILED,
    Fault.UNKNOWN,
    Fault.SILENT,
    Fault.AGAIN,
    Fault.UNCLAIMED,
    Fault.UNTOUCHED,
    Fault.OBJECTED,
    Fault.WAIT,
    Fault.NO_VERDICT,
    Fault.STALE,
    Fault.ABORT,
    Fault.BROKEN_GLASS,
    Fault.CRASH,
    Fault.LAG,
    Fault.LOST_RUN
  };

  static final Scenario ONE =
      Scenario.of("one host", 1).with(OF_ALL).with(Fault.FAILED, Fault.UNCLAIMED).upTo(3);
  static final Scenario SEEMING =
      Scenario.of("two hosts, one on the release", 2)
          .seeming(1)
          .with(Fault.FAILED, Fault.UNKNOWN, Fault.UNCLAIMED)
          .with(Fault.ABORT, Fault.LOST_RUN, Fault.CRASH)
          .upTo(2);
  static final Scenario TWO =
      Scenario.of("two hosts", 2)
          .with(BOARD)
          .with(Fault.WAIT, Fault.ABORT, Fault.CRASH, Fault.LAG)
          .upTo(3);
  static final Scenario GO_ON =
      Scenario.of("three hosts, go on", 3)
          .onFailure(OnHostFailure.GO_ON)
          .with(Fault.FAILED, Fault.FAILED, Fault.UNKNOWN, Fault.ABORT)
          .with(Fault.UNTOUCHED, Fault.UNTOUCHED)
          .upTo(3)
          .coarsely();
  static final Scenario ABORTING =
      Scenario.of("three hosts, abort", 3)
          .with(Fault.FAILED, Fault.UNKNOWN, Fault.ABORT, Fault.UNCLAIMED)
          .with(Fault.UNTOUCHED)
          .upTo(3)
          .coarsely();
  static final Scenario READ_LATE =
      Scenario.of("late read: nothing was begun", 2)
          .onFailure(OnHostFailure.GO_ON)
          .with(Fault.READ_LATE, Fault.READ_LATE, Fault.UNTOUCHED, Fault.FAILED, Fault.UNKNOWN)
          .with(Fault.ABORT, Fault.LOST_RUN, Fault.CRASH)
          .upTo(2)
          .coarsely();
  static final Scenario HOLDING =
      Scenario.of("two hosts, ask", 2)
          .onFailure(OnHostFailure.ASK)
          .with(Fault.FAILED, Fault.FAILED, Fault.UNKNOWN, Fault.UNCLAIMED, Fault.ABORT)
          .with(Fault.UNTOUCHED)
          .upTo(3)
          .coarsely();
  static final Scenario LOST =
      Scenario.of("a lost run", 2)
          .with(Fault.LOST_RUN, Fault.LOST_RUN, Fault.FAILED, Fault.SILENT)
          .upTo(2);
  static final Scenario LOST_TWICE =
      Scenario.of("a run lost twice", 1)
          .with(Fault.LOST_RUN, Fault.LOST_RUN, Fault.FAILED, Fault.SILENT, Fault.UNCLAIMED)
          .with(Fault.CRASH, Fault.ABORT)
          .with(Fault.UNTOUCHED)
          .upTo(3);
  static final Scenario LADDER =
      Scenario.of("a ladder", 1)
          .climbing(
              Set.of(Rung.REIMAGE), Rung.RETRY_STEP, Rung.POWER_CYCLE, Rung.ROLL_BACK, Rung.REIMAGE)
          .with(BOARD)
          .with(Fault.FAILED, Fault.FAILED, Fault.HOPELESS, Fault.CROWDED)
          .with(Fault.ABORT, Fault.BROKEN_GLASS, Fault.LOST_RUN)
          .with(Fault.UNTOUCHED, Fault.UNRECOGNISED, Fault.OTHERS)
          .upTo(2);
  static final Scenario LADDERS =
      Scenario.of("two hosts, a ladder", 2)
          .climbing(Set.of(Rung.ROLL_BACK), Rung.RETRY_STEP, Rung.ROLL_BACK)
          .with(BOARD)
          .with(Fault.FAILED, Fault.ABORT, Fault.LOST_RUN, Fault.CRASH)
          .with(Fault.UNTOUCHED, Fault.OTHERS)
          .upTo(2)
          .coarsely();
  static final Scenario LADDER_LOST =
      Scenario.of("two hosts, a ladder, a lost run", 2)
          .climbing(Set.of(), Rung.POWER_CYCLE)
          .with(Fault.UNCLAIMED, Fault.FAILED, Fault.LOST_RUN)
          .with(Fault.UNTOUCHED, Fault.UNRECOGNISED, Fault.OTHERS)
          .upTo(2);
  static final Scenario SIGNED =
      Scenario.of("a ladder that is signed", 1)
          .onFailure(OnHostFailure.ASK)
          .climbing(
              Set.of(Rung.RESTART_SERVICE, Rung.CLEAN_DISK), Rung.RESTART_SERVICE, Rung.CLEAN_DISK)
          .with(BOARD)
          .with(Fault.FAILED, Fault.NO_ANSWER, Fault.REMINDED, Fault.ABORT, Fault.BROKEN_GLASS)
          .with(Fault.OLD)
          .with(Fault.UNRECOGNISED)
          .upTo(2);
  static final Scenario BLIND =
      Scenario.of("a restored store", 1)
          .with(Fault.RESTORED, Fault.FAILED, Fault.UNKNOWN, Fault.UNCLAIMED)
          .with(Fault.UNTOUCHED, Fault.SILENT, Fault.WAIT)
          .upTo(3);
  static final Scenario BLIND_TWO =
      Scenario.of("two hosts, a restored store", 2)
          .with(Fault.RESTORED, Fault.FAILED, Fault.UNKNOWN)
          .upTo(2)
          .coarsely();
  static final Scenario HOOKS =
      Scenario.of("hooks", 2)
          .hooked(hooks())
          .with(BOARD)
          .with(Fault.WAITED, Fault.VETOED, Fault.ABORT, Fault.LOST_RUN, Fault.CRASH)
          .with(Fault.UNTOUCHED)
          .upTo(1);
  static final Scenario HOOKS_ON =
      Scenario.of("hooks, go on", 2)
          .onFailure(OnHostFailure.GO_ON)
          .hooked(hooks())
          .with(BOARD)
          .with(Fault.FAILED, Fault.WAITED, Fault.VETOED, Fault.ABORT, Fault.LOST_RUN)
          .with(Fault.UNTOUCHED)
          .upTo(2)
          .coarsely();
  static final Scenario HOOKS_ASK =
      Scenario.of("hooks, ask", 1)
          .onFailure(OnHostFailure.ASK)
          .hooked(hooks())
          .with(BOARD)
          .with(Fault.FAILED, Fault.WAITED, Fault.VETOED, Fault.ABORT, Fault.LOST_RUN)
          .with(Fault.UNTOUCHED)
          .upTo(2)
          .coarsely();
  static final Scenario HOOKS_LOST =
      Scenario.of("hooks, ask, a lost run", 1)
          .onFailure(OnHostFailure.ASK)
          .hooked(hooks())
          .with(Fault.VETOED, Fault.UNCLAIMED, Fault.LOST_RUN)
          .upTo(3);
  static final Scenario HOOKS_BLIND =
      Scenario.of("hooks, a restored store", 1)
          .hooked(hooks())
          .with(Fault.RESTORED)
          .upTo(1)
          .coarsely();

  static final List<Scenario> ALL = all();

  /** For what becomes of hosts when one thing goes wrong. */
  static final List<Scenario> EXITS = exits();

  /** The same for batches that are on their way back already. */
  static final List<Scenario> EXITS_BACK =
      List.of(Scenario.of("one host, two faults", 1).with(OF_ALL).with(OF_ALL).upTo(2));

  private Scenarios() {}

  private static List<Scenario> all() {
    List<Scenario> all =
        new ArrayList<>(
            List.of(
                ONE,
                SEEMING,
                TWO,
                GO_ON,
                ABORTING,
                READ_LATE,
                HOLDING,
                LOST,
                LOST_TWICE,
                LADDER,
                LADDERS,
                LADDER_LOST,
                SIGNED,
                BLIND,
                BLIND_TWO,
                HOOKS,
                HOOKS_ON,
                HOOKS_ASK,
                HOOKS_LOST,
                HOOKS_BLIND));
    for (Way way : Way.values()) {
      all.add(late(way));
    }
    return List.copyOf(all);
  }

  /** One or both of two hosts are not drained in time. */
  static Scenario late(Way way) {
    Fault[] asked = way.asks() ? new Fault[] {Fault.NO_ANSWER, Fault.REMINDED} : new Fault[0];
    return Scenario.of("late drains: " + way, 2)
        .late(way)
        .with(Fault.FAILED, Fault.FAILED, Fault.WAIT)
        .with(asked)
        .with(Fault.STALE, Fault.ABORT, Fault.CRASH, Fault.LAG)
        .with(Fault.UNTOUCHED)
        // FORCE asks as ASK does, which is explored deeper.
        .upTo(way == Way.FORCE ? 2 : 3)
        .coarsely();
  }

  /** The same with one more that may go wrong. */
  static List<Scenario> larger() {
    return ALL.stream()
        .map(
            small ->
                new Scenario(
                    small.name(),
                    small.hosts(),
                    small.seemDone(),
                    small.onHostFailure(),
                    small.way(),
                    small.ladder(),
                    small.hooks(),
                    small.faults(),
                    small.total() + 1,
                    small.coarse()))
        .toList();
  }

  private static List<Scenario> exits() {
    Scenario one = Scenario.of("one host, one fault", 1).with(OF_ALL).upTo(1);
    Scenario two = Scenario.of("two hosts, one fault", 2).with(OF_ALL).upTo(1);
    Scenario hooked =
        Scenario.of("hooks, one fault", 1)
            .hooked(hooks())
            .with(OF_ALL)
            .with(Fault.WAITED, Fault.VETOED)
            .upTo(1);
    return List.of(one, one.seeming(1), two, hooked);
  }

  private static PolicyHook[] hooks() {
    return new PolicyHook[] {
      hook("leave", Stage.BEFORE_UNDEPLOY, Scope.BATCH, Optional.empty()),
      hook("save", Stage.AFTER_UNDEPLOY, Scope.HOST, Optional.empty()),
      hook("load", Stage.BEFORE_DEPLOY, Scope.HOST, Optional.of("save")),
      hook("join", Stage.AFTER_DEPLOY, Scope.BATCH, Optional.of("leave"))
    };
  }

  private static PolicyHook hook(String name, Stage stage, Scope scope, Optional<String> of) {
    return new PolicyHook(name, stage, scope, PolicyHook.DEFAULT_TIMEOUT, 1, Map.of(), of);
  }
}
