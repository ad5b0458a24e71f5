package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.LateDrain.Way;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.HostEnd;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.Step;
import java.util.List;
import java.util.Optional;

/**
 * A bug, where it shows and what it breaks.
 *
 * @param rule the rule that finds it
 */
record Seeded(String name, String rule, Scenario scenario, Bug bug) {

  static final List<Seeded> ALL =
      List.of(
          new Seeded("an Update comes before the other Drains", "I5", Scenarios.TWO, Bugs.early()),
          new Seeded(
              "Drains come with the question whether they may",
              "I4",
              Scenarios.ONE,
              Bugs.unasked()),
          new Seeded(
              "the board gives out a Drain by an old verdict",
              "I4",
              Scenarios.ONE,
              Bug.blindBoard()),
          new Seeded("a quarantine without its lock", "ETCD", Scenarios.ONE, Bug.withoutLocks()),
          new Seeded("the hold ends first", "HOLD", Scenarios.ONE, Bug.holdsFirst()),
          new Seeded(
              "no health is judged", "I5", Scenarios.ONE, Bugs.instead(Step.HEALTH, Step.RECOVER)),
          new Seeded("a repair counts for a reading", "I5", Scenarios.LADDER, Bugs.harmless()),
          new Seeded(
              "what hooks did is never taken back",
              "ENDS",
              Scenarios.HOOKS,
              Bug.without(action -> Bugs.publishes(action, Step.UNHOOK))),
          new Seeded("the way back knows no hooks", "HOOKS", Scenarios.HOOKS, Bugs.hookless()),
          new Seeded(
              "a veto is taken for a yes",
              "HOOKS",
              Scenarios.HOOKS,
              Bugs.seeing(JobStatus.VETOED, JobStatus.DONE)),
          new Seeded(
              "a failure is written again and again", "REST", Scenarios.HOLDING, Bugs.forgetful()),
          new Seeded("a check is asked without end", "REST", Scenarios.ONE, Bugs.asking()),
          new Seeded(
              "nobody adopts a job",
              "ADOPT",
              Scenarios.LOST,
              Bug.without(Action.Adopt.class::isInstance)),
          new Seeded(
              "forward jobs stay on the board",
              "BACK",
              Scenarios.ONE,
              Bug.without(Action.Cancel.class::isInstance)),
          new Seeded(
              "nobody writes that a batch goes back",
              "I8",
              Scenarios.ONE,
              Bug.without(Action.GoBack.class::isInstance)),
          new Seeded("nobody reads that a batch goes back", "I8", Scenarios.TWO, Bugs.forward()),
          new Seeded(
              "hosts are recovered that nobody drained",
              "I8",
              Scenarios.ONE,
              Bugs.instead(Step.UNCORDON, Step.RECOVER)),
          new Seeded(
              "a drained host is only let go",
              "I8",
              Scenarios.ONE,
              Bugs.instead(Step.RECOVER, Step.UNCORDON)),
          new Seeded("a quarantine without a reason", "I7", Scenarios.ONE, Bugs.speechless()),
          new Seeded("a host is in no end", "I7", Scenarios.TWO, Bugs.without("h2")),
          new Seeded("a host leaves twice", "I7", Scenarios.TWO, Bugs.twice("h1")),
          new Seeded("who came back is upgraded", "I5", Scenarios.ONE, Bugs.all(HostEnd.UPGRADED)),
          new Seeded("who was upgraded came back", "I5", Scenarios.ONE, Bugs.all(HostEnd.REVERTED)),
          new Seeded(
              "silence is taken for a failure",
              "P9",
              Scenarios.ONE,
              Bugs.seeing(JobStatus.EXPIRED, JobStatus.FAILED)),
          new Seeded(
              "nobody knows is taken for a failure",
              "P9",
              Scenarios.TWO,
              Bugs.seeing(JobStatus.UNKNOWN, JobStatus.FAILED)),
          new Seeded(
              "a lost Update is published again",
              "P9",
              Scenarios.ONE,
              Bugs.overlooking(Step.UPDATE)),
          new Seeded("a batch goes on after a lost run", "RECLAIM", Scenarios.LOST, Bugs.onward()),
          new Seeded(
              "a host that stands halfway is updated while it serves",
              "SERVING",
              Scenarios.BLIND,
              Bugs.undrained()),
          new Seeded(
              "nobody asks whether a host that stands halfway may be drained",
              "ENDS",
              Scenarios.BLIND,
              Bugs.unaskedAfterALoss()),
          new Seeded("rows are taken for what was done", "I8", Scenarios.BLIND, Bugs.sighted()),
          new Seeded("a question is taken for a yes", "SIGNED", Scenarios.SIGNED, Bugs.approved()),
          new Seeded(
              "a batch is split while a consumer works",
              "QUIET",
              Scenarios.TWO,
              Bugs.seeing(JobStatus.CLAIMED, JobStatus.FAILED)),
          new Seeded(
              "a host is brought back while a consumer repairs it",
              "BUSY",
              Scenarios.LADDER_LOST,
              Bugs.seeing(Step.REPAIR, JobStatus.CLAIMED, JobStatus.FAILED)),
          new Seeded(
              "a batch ends while a job is on the board",
              "QUIET",
              Scenarios.ONE,
              Bugs.seeing(Step.RECOVER, JobStatus.PENDING, JobStatus.DONE)),
          new Seeded(
              "nobody looks when a question expires",
              "LOOK",
              Scenarios.late(Way.ASK),
              Bug.changing(
                  (_, action) ->
                      action instanceof Action.Wait(var _, String why)
                          ? new Action.Wait(Optional.empty(), why)
                          : action)),
          new Seeded(
              "nobody's claim is a host's failure",
              "UNCLAIMED-ENDS",
              Scenarios.ONE,
              HarmBugs.impatient()),
          new Seeded(
              "nobody's claim ends a host that nobody touched",
              "UNTOUCHED-UNCLAIMED",
              Scenarios.ONE,
              HarmBugs.lasting()),
          new Seeded(
              "a host that nobody touched is kept aside",
              "UNTOUCHED-QUARANTINED",
              Scenarios.HOOKS_ON,
              HarmBugs.impatient()),
          new Seeded(
              "an update that began nothing counts as begun",
              "UNTOUCHED-QUARANTINED",
              Scenarios.ONE,
              HarmBugs.heedless()),
          new Seeded(
              "what is not known counts as begun, though its host says that nothing was",
              "UNTOUCHED-QUARANTINED",
              Scenarios.READ_LATE,
              HarmBugs.deaf()),
          new Seeded(
              "a host on which nothing was begun ends as one that failed",
              "UNTOUCHED-FAILED",
              Scenarios.READ_LATE,
              HarmBugs.lasting()),
          new Seeded(
              "a late host on which nothing was begun ends as one that failed",
              "UNTOUCHED-FAILED",
              Scenarios.late(Way.REVERT),
              HarmBugs.blaming()),
          new Seeded(
              "an update that began counts as not begun",
              "I8",
              Scenarios.ONE,
              HarmBugs.trusting(Step.UPDATE)),
          new Seeded(
              "a host is repaired on which nothing was begun",
              "UNTOUCHED-REPAIRED",
              Scenarios.LADDER_LOST,
              HarmBugs.heedless()),
          new Seeded(
              "a failed host is quarantined undiagnosed",
              "UNDIAGNOSED",
              Scenarios.ONE,
              HarmBugs.undiagnosed()),
          new Seeded(
              "what nobody recognises is taken for known",
              "UNSIGNED-REPAIR",
              Scenarios.LADDER_LOST,
              HarmBugs.finding("diagnosis.signature", "odd")),
          new Seeded(
              "others on the host are overlooked",
              "OTHERS-FORCED",
              Scenarios.LADDER_LOST,
              HarmBugs.finding("diagnosis.others", "")),
          new Seeded(
              "a repair waits in a batch that people broke into",
              "BARRED-WAITS",
              Scenarios.LADDER,
              HarmBugs.waiting()),
          new Seeded(
              "a repair of which nobody knows is taken for done",
              "UNKNOWN-REPAIR-RETRIED",
              Scenarios.SIGNED,
              Bugs.seeing(Step.REPAIR, JobStatus.UNKNOWN, JobStatus.DONE)),
          new Seeded(
              "a silent recovery is repeated unread",
              "SILENT-RECOVERY-REPEATED",
              Scenarios.LOST_TWICE,
              Bugs.seeing(Step.RECOVER, JobStatus.EXPIRED, JobStatus.CANCELLED)),
          new Seeded(
              "a host that was only repaired goes back unjudged",
              "REPAIRED-UNJUDGED",
              Scenarios.LADDER_LOST,
              HarmBugs.impatient()),
          new Seeded(
              "a host is quarantined while its hook runs",
              "QUARANTINED-IN-HOOK",
              Scenarios.HOOKS_LOST,
              Bugs.seeing(Step.UNHOOK, JobStatus.CLAIMED, JobStatus.FAILED)),
          new Seeded(
              "a job of a host that left stays on the board",
              "LEFT-JOB-AWAITED",
              Scenarios.BLIND_TWO,
              Bug.without(Action.Cancel.class::isInstance)),
          new Seeded(
              "nobody writes that a host is to be quarantined",
              "LOCK-LEFT",
              Scenarios.late(Way.QUARANTINE),
              Bug.without(Action.Condemn.class::isInstance)),
          new Seeded(
              "a repair is taken twice",
              "THROWS",
              Scenarios.LADDER,
              Bug.without(Action.TakeRepair.class::isInstance)));

  @Override
  public String toString() {
    return name;
  }
}
