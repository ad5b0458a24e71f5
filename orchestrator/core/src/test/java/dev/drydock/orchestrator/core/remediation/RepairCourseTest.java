package dev.drydock.orchestrator.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.remediation.Course.About;
import dev.drydock.orchestrator.remediation.Course.Next;
import dev.drydock.orchestrator.remediation.Course.Taken;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is done next to a host on which a step failed. */
class CourseTest {
  private static final Ladder BOTH = new Ladder(List.of(Rung.RETRY_STEP, Rung.POWER_CYCLE));
  private static final Ladder ALL = new Ladder(List.of(Rung.values()));
  private static final Ladder RETRY = new Ladder(List.of(Rung.RETRY_STEP));
  private static final Ladder POWER = new Ladder(List.of(Rung.POWER_CYCLE));

  private static Taken diagnosed(boolean reachable, String running) {
    return new Taken(
        Action.DIAGNOSE,
        OptionalInt.empty(),
        JobState.Done,
        false,
        false,
        Map.of(Diagnosis.REACHABLE, String.valueOf(reachable), Diagnosis.RUNNING, running),
        "read");
  }

  private static final Taken WELL = diagnosed(true, "");
  private static final Taken DEAD = diagnosed(false, "");

  private static Taken took(Action action, int rung, JobState state) {
    return new Taken(
        action,
        rung < 0 ? OptionalInt.empty() : OptionalInt.of(rung),
        state,
        state == JobState.Unknown,
        false,
        Map.of(),
        "it ended " + state);
  }

  private static String next(JobStep failed, Ladder ladder, Taken... taken) {
    return next(about(failed, ladder, false), taken);
  }

  private static About about(JobStep failed, Ladder ladder, boolean judged) {
    return new About(failed, ladder, Set.of(), judged);
  }

  private static String next(About about, Taken... taken) {
    return switch (Course.next(about, List.of(taken))) {
      case Next.Do(Action action, OptionalInt rung) ->
          action.word() + (rung.isPresent() ? " " + rung.getAsInt() : "");
      case Next.Waiting() -> "waiting";
      case Next.Resumed() -> "resumed";
      case Next.Exhausted(String why) -> "exhausted by " + why;
    };
  }

  @Test
  void isDiagnosedFirst() {
    assertThat(next(JobStep.Update, BOTH)).isEqualTo("Diagnose");
  }

  @Test
  void whatWasBegunIsWaitedFor() {
    for (JobState state : List.of(JobState.Pending, JobState.Claimed)) {
      assertThat(next(JobStep.Update, BOTH, took(Action.DIAGNOSE, -1, state))).isEqualTo("waiting");
      assertThat(next(JobStep.Update, BOTH, DEAD, took(Action.POWER_CYCLE, 1, state)))
          .isEqualTo("waiting");
    }
  }

  @Test
  void triesAgainWhatAnswersAndSwitchesOffWhatDoesNot() {
    assertThat(next(JobStep.Update, BOTH, WELL)).isEqualTo("RetryStep 0");
    assertThat(next(JobStep.Update, BOTH, DEAD)).isEqualTo("PowerCycle 1");
    assertThat(next(JobStep.Update, RETRY, DEAD)).isEqualTo("exhausted by Diagnose: read");
  }

  @Test
  void triesNothingWhereOnlyPeopleCanHelp() {
    Map<String, String> facts = new HashMap<>(WELL.facts());
    for (String recoverable : List.of("true", "unknown")) {
      facts.put(Diagnosis.RECOVERABLE, recoverable);
      assertThat(next(JobStep.Update, BOTH, with(facts))).isEqualTo("RetryStep 0");
    }
    facts.put(Diagnosis.RECOVERABLE, "false");
    assertThat(next(JobStep.Update, BOTH, with(facts))).isEqualTo("exhausted by Diagnose: read");
  }

  /** What is known to help, in the order of the ladder, and nothing else. */
  @Test
  void ofWhatIsKnownOnlyWhatHelpsIsTried() {
    Map<String, String> facts = new HashMap<>(WELL.facts());
    facts.put(Diagnosis.RECOVERABLE, "true");
    facts.put(Diagnosis.RUNGS, "Reimage,PowerCycle");
    assertThat(next(JobStep.Update, ALL, with(facts))).isEqualTo("PowerCycle 3");
    facts.put(Diagnosis.RUNGS, "CleanDisk,RetryStep");
    assertThat(next(JobStep.Update, ALL, with(facts))).isEqualTo("RetryStep 0");
    assertThat(next(JobStep.Update, POWER, with(facts))).isEqualTo("exhausted by Diagnose: read");
    facts.put(Diagnosis.RECOVERABLE, "unknown");
    facts.put(Diagnosis.RUNGS, "");
    assertThat(next(JobStep.Update, POWER, with(facts))).isEqualTo("PowerCycle 0");
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
    Taken busy = diagnosed(true, "g1.Update.h01.3.upgrade");
    assertThat(next(JobStep.Recover, restart, WELL)).isEqualTo("RestartService 0");
    assertThat(next(JobStep.Update, restart, WELL)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(JobStep.Recover, restart, DEAD)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(JobStep.Update, clean, WELL)).isEqualTo("CleanDisk 0");
    assertThat(next(JobStep.Update, clean, busy)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(JobStep.Update, clean, DEAD)).isEqualTo("exhausted by Diagnose: read");
    Ladder back = new Ladder(List.of(Rung.ROLL_BACK));
    assertThat(next(JobStep.Update, back, WELL)).isEqualTo("RollBack 0");
    assertThat(next(JobStep.Update, back, busy)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(JobStep.Update, back, DEAD)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(JobStep.Update, install, WELL)).isEqualTo("Reimage 0");
    assertThat(next(JobStep.Update, install, busy)).isEqualTo("exhausted by Diagnose: read");
  }

  /** Its data could not be proven afterwards, unless an installation has kept their sums before. */
  @Test
  void whatDoesNotAnswerIsInstalledAnewOnlyWhereItsDataAreKept() {
    Ladder install = new Ladder(List.of(Rung.REIMAGE));
    Map<String, String> facts = new HashMap<>(DEAD.facts());
    assertThat(next(JobStep.Update, install, with(facts)))
        .as("of an operator from before it was told")
        .isEqualTo("Reimage 0");
    facts.put(Diagnosis.DATA_OWED, "false");
    assertThat(next(JobStep.Update, install, with(facts))).isEqualTo("exhausted by Diagnose: read");
    facts.put(Diagnosis.DATA_OWED, "true");
    assertThat(next(JobStep.Update, install, with(facts))).isEqualTo("Reimage 0");
  }

  @Test
  void whatPeopleRefusedIsLeftOut() {
    Set<Rung> refused = Set.of(Rung.RETRY_STEP);
    assertThat(next(new About(JobStep.Update, BOTH, refused, true), WELL))
        .isEqualTo("PowerCycle 1");
    assertThat(next(new About(JobStep.Update, RETRY, refused, true), WELL))
        .isEqualTo("exhausted by Diagnose: read");
  }

  @Test
  void whatFollowsEachRung() {
    assertThat(Climb.actions(Rung.RESTART_SERVICE, JobStep.Recover))
        .containsExactly(Action.RESTART_SERVICE, Action.HEALTH, Action.RESUME);
    assertThat(Climb.actions(Rung.CLEAN_DISK, JobStep.Update))
        .containsExactly(Action.CLEAN_DISK, Action.RESUME);
    assertThat(Climb.actions(Rung.REIMAGE, JobStep.Update)).containsExactly(Action.REIMAGE);
    assertThat(Climb.actions(Rung.REIMAGE, JobStep.Health))
        .containsExactly(Action.REIMAGE, Action.RESUME);
    // I5: no recover before health passes, also of a host that was changed since.
    assertThat(Climb.actions(Rung.REIMAGE, JobStep.Recover))
        .containsExactly(Action.REIMAGE, Action.HEALTH, Action.RESUME);
    assertThat(Climb.actions(Rung.CLEAN_DISK, JobStep.Recover))
        .containsExactly(Action.CLEAN_DISK, Action.HEALTH, Action.RESUME);
  }

  @Test
  void isDiagnosedAgainWhereWhatWasFoundIsOld() {
    Taken old =
        new Taken(
            Action.DIAGNOSE, OptionalInt.empty(), JobState.Done, false, true, WELL.facts(), "read");
    assertThat(next(JobStep.Update, BOTH, old)).isEqualTo("Diagnose");
    assertThat(next(JobStep.Update, BOTH, old, WELL)).isEqualTo("RetryStep 0");
  }

  private static Taken with(Map<String, String> facts) {
    return new Taken(
        Action.DIAGNOSE, OptionalInt.empty(), JobState.Done, false, false, facts, "read");
  }

  @Test
  void neverSwitchesOffWhatStillRunsSomethingOfOurs() {
    Taken busy = diagnosed(true, "g1.Update.h01.3.upgrade");
    assertThat(next(JobStep.Update, POWER, busy)).isEqualTo("exhausted by Diagnose: read");
    assertThat(next(JobStep.Update, BOTH, busy)).as("attaches to it").isEqualTo("RetryStep 0");
  }

  @Test
  void doesNothingToWhatNobodyDiagnosed() {
    for (JobState state : List.of(JobState.Unknown, JobState.Failed)) {
      assertThat(next(JobStep.Update, BOTH, took(Action.DIAGNOSE, -1, state)))
          .isEqualTo("exhausted by Diagnose: it ended " + state);
    }
    Taken silent =
        new Taken(
            Action.DIAGNOSE,
            OptionalInt.empty(),
            JobState.Expired,
            true,
            false,
            Map.of(),
            "fell silent");
    assertThat(next(JobStep.Update, BOTH, silent)).isEqualTo("exhausted by Diagnose: fell silent");
    Taken mute =
        new Taken(
            Action.DIAGNOSE,
            OptionalInt.empty(),
            JobState.Done,
            false,
            false,
            Map.of(),
            "said nothing");
    assertThat(next(JobStep.Update, BOTH, mute)).isEqualTo("exhausted by Diagnose: said nothing");
  }

  /** An operator was away, or had no room: nothing is known of the host for that. */
  @Test
  void asksAgainForADiagnosisThatNobodyTook() {
    Taken untaken = took(Action.DIAGNOSE, -1, JobState.Expired);
    Taken failed = took(Action.RETRY_STEP, 0, JobState.Failed);
    assertThat(next(JobStep.Update, BOTH, untaken)).isEqualTo("Diagnose");
    assertThat(next(JobStep.Update, BOTH, untaken, untaken)).isEqualTo("Diagnose");
    assertThat(next(JobStep.Update, BOTH, untaken, untaken, WELL)).isEqualTo("RetryStep 0");
    assertThat(next(JobStep.Update, BOTH, untaken, untaken, untaken))
        .as("it ends also if nobody ever does")
        .isEqualTo("exhausted by Diagnose: it ended Expired");
    assertThat(next(JobStep.Update, BOTH, untaken, untaken, WELL, failed, untaken))
        .isEqualTo("Diagnose");
  }

  @Test
  void resumesOnceTheStepEndedWellAndClimbsOnIfNot() {
    Taken failed = took(Action.RETRY_STEP, 0, JobState.Failed);
    assertThat(next(JobStep.Update, BOTH, WELL, took(Action.RETRY_STEP, 0, JobState.Done)))
        .isEqualTo("resumed");
    assertThat(next(JobStep.Update, BOTH, WELL, failed)).isEqualTo("Diagnose");
    assertThat(next(JobStep.Update, BOTH, WELL, failed, WELL)).isEqualTo("PowerCycle 1");
    assertThat(next(JobStep.Update, RETRY, WELL, failed))
        .isEqualTo("exhausted by RetryStep: it ended Failed");
  }

  @Test
  void verifiesWhatWasSwitchedOffBeforeTheStepIsDoneAgain() {
    Taken cycled = took(Action.POWER_CYCLE, 1, JobState.Done);
    Taken verified = took(Action.VERIFY, -1, JobState.Done);
    assertThat(next(JobStep.Update, BOTH, DEAD, cycled)).isEqualTo("Verify");
    assertThat(next(JobStep.Update, BOTH, DEAD, took(Action.POWER_CYCLE, 1, JobState.Unknown)))
        .as("whether it was is seen on the host")
        .isEqualTo("Verify");
    assertThat(next(JobStep.Update, BOTH, DEAD, took(Action.POWER_CYCLE, 1, JobState.Failed)))
        .isEqualTo("exhausted by PowerCycle: it ended Failed");
    assertThat(next(JobStep.Update, BOTH, DEAD, cycled, verified)).isEqualTo("Resume");
    assertThat(next(JobStep.Update, BOTH, DEAD, cycled, took(Action.VERIFY, -1, JobState.Failed)))
        .isEqualTo("exhausted by Verify: it ended Failed");
    assertThat(
            next(
                JobStep.Update,
                BOTH,
                DEAD,
                cycled,
                verified,
                took(Action.RESUME, -1, JobState.Done)))
        .isEqualTo("resumed");
  }

  /** I5: no recover before health passes, also of a host that was started anew since. */
  @Test
  void judgesAHostAgainBeforeItIsRecovered() {
    Taken cycled = took(Action.POWER_CYCLE, 0, JobState.Done);
    Taken verified = took(Action.VERIFY, -1, JobState.Done);
    assertThat(next(JobStep.Recover, POWER, DEAD, cycled, verified)).isEqualTo("Health");
    assertThat(
            next(
                JobStep.Recover,
                POWER,
                DEAD,
                cycled,
                verified,
                took(Action.HEALTH, -1, JobState.Failed)))
        .isEqualTo("exhausted by Health: it ended Failed");
    assertThat(
            next(
                JobStep.Recover,
                POWER,
                DEAD,
                cycled,
                verified,
                took(Action.HEALTH, -1, JobState.Done)))
        .isEqualTo("Resume");
  }

  /** Also by a rung that changes nothing itself, once one before it did. */
  @Test
  void judgesAgainOnlyWhatWasChangedSinceItWasJudged() {
    assertThat(next(about(JobStep.Recover, RETRY, false), WELL)).isEqualTo("Health 0");
    assertThat(
            next(about(JobStep.Recover, RETRY, true), WELL, took(Action.HEALTH, 0, JobState.Done)))
        .isEqualTo("RetryStep");
    assertThat(next(about(JobStep.Recover, RETRY, true), WELL)).isEqualTo("RetryStep 0");
    Ladder restart = new Ladder(List.of(Rung.RESTART_SERVICE));
    Taken restarted = took(Action.RESTART_SERVICE, 0, JobState.Done);
    assertThat(next(about(JobStep.Recover, restart, false), WELL, restarted)).isEqualTo("Health");
    assertThat(next(about(JobStep.Recover, restart, true), WELL, restarted)).isEqualTo("Resume");
  }

  private static boolean changes(Action action) {
    return action.acts() && action != Action.RESTART_SERVICE;
  }

  /** Random outcomes; the seed is printed. */
  @Test
  void alwaysEndsAndClimbsEachRungOnce() {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    System.out.println("CourseTest: -Dprop.seed=" + seed);
    Random random = new Random(seed);
    List<JobState> ends = List.of(JobState.Done, JobState.Failed, JobState.Unknown);
    for (int run = 0; run < 2_000; run++) {
      JobStep failed = List.of(JobStep.Update, JobStep.Health, JobStep.Recover).get(run % 3);
      List<Taken> taken = new ArrayList<>();
      boolean judged = true;
      Next next = Course.next(about(failed, ALL, judged), taken);
      while (next instanceof Next.Do(Action action, OptionalInt rung)) {
        JobState state = ends.get(random.nextInt(3));
        taken.add(
            action == Action.DIAGNOSE
                ? diagnosed(random.nextBoolean(), random.nextInt(3) == 0 ? "busy" : "")
                : took(action, rung.orElse(-1), state));
        boolean recovers = failed == JobStep.Recover && action.step(failed) == JobStep.Recover;
        assertThat(!recovers || judged).as("judged before it is recovered (I5)").isTrue();
        judged = action == Action.HEALTH ? state == JobState.Done : judged && !changes(action);
        next = Course.next(about(failed, ALL, judged), taken);
      }
      assertThat(taken).hasSizeLessThanOrEqualTo(20);
      assertThat(taken.stream().flatMapToInt(step -> step.rung().stream()).boxed())
          .doesNotHaveDuplicates()
          .isSorted();
      if (next instanceof Next.Resumed) {
        assertThat(taken.getLast()).matches(Taken::done);
      }
    }
  }
}
