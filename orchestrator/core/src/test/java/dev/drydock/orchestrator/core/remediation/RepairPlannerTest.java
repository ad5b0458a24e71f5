package dev.drydock.orchestrator.core.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.remediation.RepairPlanner.About;
import dev.drydock.orchestrator.core.remediation.RepairPlanner.Next;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is done next to a host on which a step failed. */
class RepairPlannerTest {
  private static final Ladder BOTH = new Ladder(List.of(Rung.RETRY_STEP, Rung.POWER_CYCLE));
  private static final Ladder ALL = new Ladder(List.of(Rung.values()));
  private static final Ladder RETRY = new Ladder(List.of(Rung.RETRY_STEP));
  private static final Ladder POWER = new Ladder(List.of(Rung.POWER_CYCLE));

  private static RepairStep diagnosed(boolean reachable, String running) {
    return with(
        Map.of(
            Diagnosis.REACHABLE,
            String.valueOf(reachable),
            Diagnosis.RUNNING,
            running,
            Diagnosis.SIGNATURE,
            "odd"));
  }

  private static RepairStep with(Map<String, String> facts) {
    return diagnosis(job().done().saying("read").facts(facts));
  }

  private static RepairStep diagnosis(JobBuilder job) {
    return new RepairStep(RepairAction.DIAGNOSE, OptionalInt.empty(), job.build());
  }

  private static JobBuilder job() {
    return JobBuilder.job(Step.REPAIR, "h01");
  }

  private static final RepairStep WELL = diagnosed(true, "");
  private static final RepairStep DEAD = diagnosed(false, "");

  /** An action whose job is in this state; one that expired was never taken. */
  private static RepairStep took(RepairAction action, int rung, JobStatus state) {
    boolean given = state != JobStatus.PENDING && state != JobStatus.EXPIRED;
    return new RepairStep(
        action,
        rung < 0 ? OptionalInt.empty() : OptionalInt.of(rung),
        job().is(state, given ? 1 : 0).saying("it ended " + state.word()).build());
  }

  private static String next(Step failed, Ladder ladder, RepairStep... taken) {
    return next(about(failed, ladder, false), taken);
  }

  private static About about(Step failed, Ladder ladder, boolean judged) {
    return new About(failed, ladder, Set.of(), judged, JobBuilder.NOW);
  }

  private static String next(About about, RepairStep... taken) {
    return switch (RepairPlanner.next(about, List.of(taken))) {
      case Next.Do(RepairAction action, OptionalInt rung) ->
          action.word() + (rung.isPresent() ? " " + rung.getAsInt() : "");
      case Next.Waiting() -> "waiting";
      case Next.Later(String why) -> why;
      case Next.Resumed() -> "resumed";
      case Next.Exhausted(String why) -> "exhausted by " + why;
    };
  }

  @Test
  void isDiagnosedFirst() {
    assertThat(next(Step.UPDATE, BOTH)).isEqualTo("Diagnose");
  }

  @Test
  void whatWasBegunIsWaitedFor() {
    for (JobStatus state : List.of(JobStatus.PENDING, JobStatus.CLAIMED)) {
      assertThat(next(Step.UPDATE, BOTH, took(RepairAction.DIAGNOSE, -1, state)))
          .isEqualTo("waiting");
      assertThat(next(Step.UPDATE, BOTH, DEAD, took(RepairAction.POWER_CYCLE, 1, state)))
          .isEqualTo("waiting");
    }
  }

  @Test
  void triesAgainWhatAnswersAndSwitchesOffWhatDoesNot() {
    assertThat(next(Step.UPDATE, BOTH, WELL)).isEqualTo("RetryStep 0");
    assertThat(next(Step.UPDATE, BOTH, DEAD)).isEqualTo("PowerCycle 1");
    assertThat(next(Step.UPDATE, RETRY, DEAD)).isEqualTo("exhausted by Diagnose: read");
  }

  @Test
  void triesNothingWhereOnlyPeopleCanHelp() {
    Map<String, String> facts = new HashMap<>(WELL.job().facts());
    for (String recoverable : List.of("true", "unknown")) {
      facts.put(Diagnosis.RECOVERABLE, recoverable);
      assertThat(next(Step.UPDATE, BOTH, with(facts))).isEqualTo("RetryStep 0");
    }
    facts.put(Diagnosis.RECOVERABLE, "false");
    assertThat(next(Step.UPDATE, BOTH, with(facts))).isEqualTo("exhausted by Diagnose: read");
  }

  /** What is known to help, in the order of the ladder, and nothing else. */
  @Test
  void ofWhatIsKnownOnlyWhatHelpsIsTried() {
    Map<String, String> facts = new HashMap<>(WELL.job().facts());
    facts.put(Diagnosis.RECOVERABLE, "true");
    facts.put(Diagnosis.RUNGS, "Reimage,PowerCycle");
    assertThat(next(Step.UPDATE, ALL, with(facts))).isEqualTo("PowerCycle 3");
    facts.put(Diagnosis.RUNGS, "CleanDisk,RetryStep");
    assertThat(next(Step.UPDATE, ALL, with(facts))).isEqualTo("RetryStep 0");
    assertThat(next(Step.UPDATE, POWER, with(facts))).isEqualTo("exhausted by Diagnose: read");
    facts.put(Diagnosis.RECOVERABLE, "unknown");
    facts.put(Diagnosis.RUNGS, "");
    assertThat(next(Step.UPDATE, POWER, with(facts))).isEqualTo("PowerCycle 0");
  }

  /**
   * A service is started anew where it was to be started, and nothing is removed while something
   * runs.
   */
  @Test
  void whatEachRungNeeds() {
    Ladder restart = new Ladder(List.of(Rung.RESTART_SERVICE));
    Ladder clean = new Ladder(List.of(Rung.CLEAN_DISK));
    Ladder install = new Ladder(List.of(Rung.REIMAGE));
    RepairStep busy = diagnosed(true, "g1.Update.h01.3.upgrade");
    assertThat(next(Step.RECOVER, restart, WELL)).isEqualTo("RestartService 0");
    assertThat(next(Step.UPDATE, restart, WELL)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(Step.RECOVER, restart, DEAD)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(Step.UPDATE, clean, WELL)).isEqualTo("CleanDisk 0");
    assertThat(next(Step.UPDATE, clean, busy)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(Step.UPDATE, clean, DEAD)).isEqualTo("exhausted by Diagnose: read");
    Ladder back = new Ladder(List.of(Rung.ROLL_BACK));
    assertThat(next(Step.UPDATE, back, WELL)).isEqualTo("RollBack 0");
    assertThat(next(Step.UPDATE, back, busy)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(Step.UPDATE, back, DEAD)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(Step.UPDATE, install, WELL)).isEqualTo("Reimage 0");
    assertThat(next(Step.UPDATE, install, busy)).isEqualTo("exhausted by Diagnose: read");
  }

  /** Its data could not be proven afterwards, unless an installation has kept their sums before. */
  @Test
  void whatDoesNotAnswerIsInstalledAnewOnlyWhereItsDataAreKept() {
    Ladder install = new Ladder(List.of(Rung.REIMAGE));
    Map<String, String> facts = new HashMap<>(DEAD.job().facts());
    assertThat(next(Step.UPDATE, install, with(facts)))
        .as("of an operator from before it was told")
        .isEqualTo("Reimage 0");
    facts.put(Diagnosis.DATA_OWED, "false");
    assertThat(next(Step.UPDATE, install, with(facts))).isEqualTo("exhausted by Diagnose: read");
    facts.put(Diagnosis.DATA_OWED, "true");
    assertThat(next(Step.UPDATE, install, with(facts))).isEqualTo("Reimage 0");
  }

  @Test
  void whatPeopleRefusedIsLeftOut() {
    Set<Rung> refused = Set.of(Rung.RETRY_STEP);
    assertThat(next(new About(Step.UPDATE, BOTH, refused, true, JobBuilder.NOW), WELL))
        .isEqualTo("PowerCycle 1");
    assertThat(next(new About(Step.UPDATE, RETRY, refused, true, JobBuilder.NOW), WELL))
        .isEqualTo("exhausted by Diagnose: read");
  }

  @Test
  void whatFollowsEachRung() {
    assertThat(RungRules.actions(Rung.RESTART_SERVICE, Step.RECOVER))
        .containsExactly(RepairAction.RESTART_SERVICE, RepairAction.HEALTH, RepairAction.RESUME);
    assertThat(RungRules.actions(Rung.CLEAN_DISK, Step.UPDATE))
        .containsExactly(RepairAction.CLEAN_DISK, RepairAction.RESUME);
    assertThat(RungRules.actions(Rung.REIMAGE, Step.UPDATE)).containsExactly(RepairAction.REIMAGE);
    assertThat(RungRules.actions(Rung.REIMAGE, Step.HEALTH))
        .containsExactly(RepairAction.REIMAGE, RepairAction.RESUME);
    // I5: no recover before health passes, also of a host that was changed since.
    assertThat(RungRules.actions(Rung.REIMAGE, Step.RECOVER))
        .containsExactly(RepairAction.REIMAGE, RepairAction.HEALTH, RepairAction.RESUME);
    assertThat(RungRules.actions(Rung.CLEAN_DISK, Step.RECOVER))
        .containsExactly(RepairAction.CLEAN_DISK, RepairAction.HEALTH, RepairAction.RESUME);
  }

  @Test
  void isDiagnosedAgainWhereWhatWasFoundIsOld() {
    Instant before = JobBuilder.NOW.minusSeconds(61);
    RepairStep old =
        diagnosis(job().done().saying("read").facts(WELL.job().facts()).endedAt(before));
    assertThat(next(Step.UPDATE, BOTH, old)).isEqualTo("Diagnose");
    assertThat(next(Step.UPDATE, BOTH, old, WELL)).isEqualTo("RetryStep 0");
  }

  @Test
  void isDiagnosedAgainWhereTheClockWasSetBackSince() {
    Instant later = JobBuilder.NOW.plusSeconds(600);
    RepairStep ahead =
        diagnosis(job().done().saying("read").facts(WELL.job().facts()).endedAt(later));
    assertThat(next(Step.UPDATE, BOTH, ahead)).isEqualTo("Diagnose");
  }

  @Test
  void neverSwitchesOffWhatStillRunsSomethingOfOurs() {
    RepairStep busy = diagnosed(true, "g1.Update.h01.3.upgrade");
    assertThat(next(Step.UPDATE, POWER, busy)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(Step.UPDATE, BOTH, busy)).as("attaches to it").isEqualTo("RetryStep 0");
  }

  @Test
  void doesNothingToWhatNobodyDiagnosed() {
    for (JobStatus state : List.of(JobStatus.UNKNOWN, JobStatus.FAILED)) {
      assertThat(next(Step.UPDATE, BOTH, took(RepairAction.DIAGNOSE, -1, state)))
          .isEqualTo("exhausted by Diagnose: it ended " + state.word());
    }
    RepairStep silent = diagnosis(job().silent().saying("fell silent"));
    assertThat(next(Step.UPDATE, BOTH, silent)).isEqualTo("exhausted by Diagnose: fell silent");
    RepairStep mute = diagnosis(job().done().saying("said nothing"));
    assertThat(next(Step.UPDATE, BOTH, mute)).isEqualTo("exhausted by Diagnose: said nothing");
  }

  /** An operator was away, or had no room: nothing is known of the host for that. */
  @Test
  void asksWithoutEndForWhatNobodyClaims() {
    RepairStep untaken = took(RepairAction.DIAGNOSE, -1, JobStatus.EXPIRED);
    RepairStep failed = took(RepairAction.RETRY_STEP, 0, JobStatus.FAILED);
    assertThat(next(Step.UPDATE, BOTH, untaken, untaken, untaken, untaken)).isEqualTo("Diagnose");
    assertThat(next(Step.UPDATE, BOTH, untaken, untaken, WELL)).isEqualTo("RetryStep 0");
    assertThat(next(Step.UPDATE, BOTH, untaken, WELL, failed, untaken)).isEqualTo("Diagnose");
    RepairStep unclaimed = took(RepairAction.POWER_CYCLE, 1, JobStatus.EXPIRED);
    assertThat(next(Step.UPDATE, BOTH, DEAD, unclaimed))
        .as("what was found may not hold any more")
        .isEqualTo("Diagnose");
    assertThat(next(Step.UPDATE, BOTH, DEAD, unclaimed, DEAD)).isEqualTo("PowerCycle 1");
    RepairStep cycled = took(RepairAction.POWER_CYCLE, 1, JobStatus.DONE);
    assertThat(
            next(Step.UPDATE, BOTH, DEAD, cycled, took(RepairAction.VERIFY, -1, JobStatus.EXPIRED)))
        .isEqualTo("Verify");
  }

  @Test
  void resumesOnceTheStepEndedWellAndClimbsOnIfNot() {
    RepairStep failed = took(RepairAction.RETRY_STEP, 0, JobStatus.FAILED);
    assertThat(next(Step.UPDATE, BOTH, WELL, took(RepairAction.RETRY_STEP, 0, JobStatus.DONE)))
        .isEqualTo("resumed");
    assertThat(next(Step.UPDATE, BOTH, WELL, failed)).isEqualTo("Diagnose");
    assertThat(next(Step.UPDATE, BOTH, WELL, failed, WELL)).isEqualTo("PowerCycle 1");
    assertThat(next(Step.UPDATE, RETRY, WELL, failed))
        .isEqualTo("exhausted by RetryStep: it ended Failed");
  }

  @Test
  void verifiesWhatWasSwitchedOffBeforeTheStepIsDoneAgain() {
    RepairStep cycled = took(RepairAction.POWER_CYCLE, 1, JobStatus.DONE);
    RepairStep verified = took(RepairAction.VERIFY, -1, JobStatus.DONE);
    assertThat(next(Step.UPDATE, BOTH, DEAD, cycled)).isEqualTo("Verify");
    assertThat(next(Step.UPDATE, BOTH, DEAD, took(RepairAction.POWER_CYCLE, 1, JobStatus.UNKNOWN)))
        .as("whether it was is seen on the host")
        .isEqualTo("Verify");
    JobBuilder unknown = job().is(JobStatus.UNKNOWN, 1).saying("its BMC is silent");
    OptionalInt rung = OptionalInt.of(0);
    assertThat(
            next(
                Step.UPDATE,
                new Ladder(List.of(Rung.POWER_CYCLE, Rung.RETRY_STEP)),
                DEAD,
                new RepairStep(RepairAction.POWER_CYCLE, rung, unknown.begun(false).build())))
        .as("it was not: its rung has ended, and what comes next is another one")
        .isEqualTo("Diagnose");
    assertThat(next(Step.UPDATE, BOTH, DEAD, took(RepairAction.POWER_CYCLE, 1, JobStatus.FAILED)))
        .isEqualTo("exhausted by PowerCycle: it ended Failed");
    assertThat(next(Step.UPDATE, BOTH, DEAD, cycled, verified)).isEqualTo("Resume");
    assertThat(
            next(Step.UPDATE, BOTH, DEAD, cycled, took(RepairAction.VERIFY, -1, JobStatus.FAILED)))
        .isEqualTo("exhausted by Verify: it ended Failed");
    assertThat(
            next(
                Step.UPDATE,
                BOTH,
                DEAD,
                cycled,
                verified,
                took(RepairAction.RESUME, -1, JobStatus.DONE)))
        .isEqualTo("resumed");
  }

  /** I5: no recover before health passes, also of a host that was started anew since. */
  @Test
  void judgesAHostAgainBeforeItIsRecovered() {
    RepairStep cycled = took(RepairAction.POWER_CYCLE, 0, JobStatus.DONE);
    RepairStep verified = took(RepairAction.VERIFY, -1, JobStatus.DONE);
    assertThat(next(Step.RECOVER, POWER, DEAD, cycled, verified)).isEqualTo("Health");
    assertThat(
            next(
                Step.RECOVER,
                POWER,
                DEAD,
                cycled,
                verified,
                took(RepairAction.HEALTH, -1, JobStatus.FAILED)))
        .isEqualTo("exhausted by Health: it ended Failed");
    assertThat(
            next(
                Step.RECOVER,
                POWER,
                DEAD,
                cycled,
                verified,
                took(RepairAction.HEALTH, -1, JobStatus.DONE)))
        .isEqualTo("Resume");
  }

  /** Also by a rung that changes nothing itself, once one before it did. */
  @Test
  void judgesAgainOnlyWhatWasChangedSinceItWasJudged() {
    assertThat(next(about(Step.RECOVER, RETRY, false), WELL)).isEqualTo("Health 0");
    assertThat(
            next(
                about(Step.RECOVER, RETRY, true),
                WELL,
                took(RepairAction.HEALTH, 0, JobStatus.DONE)))
        .isEqualTo("RetryStep");
    assertThat(next(about(Step.RECOVER, RETRY, true), WELL)).isEqualTo("RetryStep 0");
    Ladder restart = new Ladder(List.of(Rung.RESTART_SERVICE));
    RepairStep restarted = took(RepairAction.RESTART_SERVICE, 0, JobStatus.DONE);
    assertThat(next(about(Step.RECOVER, restart, false), WELL, restarted)).isEqualTo("Health");
    assertThat(next(about(Step.RECOVER, restart, true), WELL, restarted)).isEqualTo("Resume");
  }

  private static boolean changes(RepairAction action) {
    return action.acts() && action != RepairAction.RESTART_SERVICE;
  }

  /** Random outcomes; the seed is printed. */
  @Test
  void alwaysEndsAndClimbsEachRungOnce() {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    System.out.println("RepairPlannerTest: -Dprop.seed=" + seed);
    Random random = new Random(seed);
    List<JobStatus> ends = List.of(JobStatus.DONE, JobStatus.FAILED, JobStatus.UNKNOWN);
    for (int run = 0; run < 2_000; run++) {
      Step failed = List.of(Step.UPDATE, Step.HEALTH, Step.RECOVER).get(run % 3);
      List<RepairStep> taken = new ArrayList<>();
      boolean judged = true;
      Next next = RepairPlanner.next(about(failed, ALL, judged), taken);
      while (next instanceof Next.Do(RepairAction action, OptionalInt rung)) {
        JobStatus state = ends.get(random.nextInt(3));
        taken.add(
            action == RepairAction.DIAGNOSE
                ? diagnosed(random.nextBoolean(), random.nextInt(3) == 0 ? "busy" : "")
                : took(action, rung.orElse(-1), state));
        boolean recovers = failed == Step.RECOVER && action.step(failed) == Step.RECOVER;
        assertThat(!recovers || judged).as("judged before it is recovered (I5)").isTrue();
        judged =
            action == RepairAction.HEALTH ? state == JobStatus.DONE : judged && !changes(action);
        next = RepairPlanner.next(about(failed, ALL, judged), taken);
      }
      assertThat(taken).hasSizeLessThanOrEqualTo(20);
      assertThat(taken.stream().flatMapToInt(step -> step.rung().stream()).boxed())
          .doesNotHaveDuplicates()
          .isSorted();
      if (next instanceof Next.Resumed) {
        assertThat(taken.getLast()).matches(step -> step.done());
      }
    }
  }
}
