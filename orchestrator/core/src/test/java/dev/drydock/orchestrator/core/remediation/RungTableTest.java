package dev.drydock.orchestrator.core.remediation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.RepairAction;
import dev.drydock.orchestrator.core.model.Step;
import dev.drydock.orchestrator.core.remediation.RepairPlanner.About;
import dev.drydock.orchestrator.core.remediation.RepairPlanner.Next;
import dev.drydock.orchestrator.core.testkit.JobBuilder;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which rungs each signature opens, over all signatures that the host operator knows. */
class RungTableTest {
  private static final String NONE = "";

  private static Map<String, String> found(String signature, String rungs) {
    Map<String, String> facts = new HashMap<>();
    facts.put(Diagnosis.REACHABLE, "true");
    facts.put(Diagnosis.RUNNING, "");
    facts.put(Diagnosis.SIGNATURE, signature);
    facts.put(Diagnosis.RUNGS, rungs.replace(' ', ','));
    return facts;
  }

  private static Next next(Ladder ladder, Map<String, String> facts, int times) {
    RepairStep diagnosis =
        new RepairStep(
            RepairAction.DIAGNOSE,
            OptionalInt.empty(),
            JobBuilder.job(Step.REPAIR, "h01").done().saying("read").facts(facts).build());
    About about = new About(Step.RECOVER, ladder, Set.of(), true, JobBuilder.NOW);
    return RepairPlanner.next(about, Collections.nCopies(times, diagnosis));
  }

  private static boolean tried(Ladder ladder, Map<String, String> facts) {
    return next(ladder, facts, 1) instanceof Next.Do;
  }

  @ParameterizedTest
  @CsvSource({
    "sshd-hang, PowerCycle Reimage",
    "disk-full, CleanDisk RetryStep",
    "lock-held, RetryStep",
    "source-unreadable, RetryStep",
    "post-install-failure, RetryStep RollBack Reimage",
    "checksum-mismatch, RetryStep Reimage",
    "failed-installer, RetryStep Reimage",
    "wrong-kernel, PowerCycle Reimage",
    "application-does-not-start, RestartService RetryStep RollBack",
    "application-unhealthy, RestartService RetryStep RollBack",
    "bmc-flapping, RetryStep Reimage",
    "bmc-slow, RetryStep Reimage",
    "reboot-never-returned, PowerCycle Reimage",
    "unreachable, PowerCycle Reimage"
  })
  void aSignatureOpensTheRungsThatItNames(String signature, String rungs) {
    for (Rung rung : Rung.values()) {
      assertThat(tried(new Ladder(List.of(rung)), found(signature, rungs)))
          .as("%s of %s", rung, signature)
          .isEqualTo(Arrays.asList(rungs.split(" ")).contains(rung.word()));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "wrong-host-key",
    "packages-held",
    "package-conflict",
    "lost-memory",
    "no-power-on",
    "drain-stuck",
    "bmc-down"
  })
  void whatOnlyPeopleCanMendOpensNone(String signature) {
    Map<String, String> facts = found(signature, NONE);
    facts.put(Diagnosis.RECOVERABLE, "false");
    for (Rung rung : Rung.values()) {
      assertThat(tried(new Ladder(List.of(rung), Set.of(), Set.of(rung)), facts))
          .as("%s of %s", rung, signature)
          .isFalse();
    }
  }

  /** The step is done again once; a policy or a person may want more. */
  @ParameterizedTest
  @EnumSource
  void whatNobodyRecognisesChangesNoHost(Rung rung) {
    for (String signature : List.of("unknown", NONE)) {
      Map<String, String> facts = found(signature, NONE);
      assertThat(tried(new Ladder(List.of(rung)), facts)).isEqualTo(rung == Rung.RETRY_STEP);
      assertThat(tried(new Ladder(List.of(rung), Set.of(), Set.of(rung)), facts))
          .as("a policy says so")
          .isTrue();
      assertThat(tried(new Ladder(List.of(rung), Set.of(rung)), facts))
          .as("a person is asked")
          .isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void othersOnTheHostAreNotCutOff(Rung rung) {
    boolean waits = Set.of(Rung.POWER_CYCLE, Rung.ROLL_BACK, Rung.REIMAGE).contains(rung);
    Ladder ladder = new Ladder(List.of(rung), Set.of(), Set.of(rung));
    Map<String, String> facts = found("odd", NONE);
    facts.put(Diagnosis.OTHERS, "unattended-upgrade (4711)");
    Next next = next(ladder, facts, 1);
    assertThat(next instanceof Next.Do).isEqualTo(!waits);
    if (waits) {
      assertThat(next)
          .isEqualTo(
              new Next.Later(rung.word() + " waits, unattended-upgrade (4711) still works there"));
      assertThat(next(ladder, facts, RepairPlanner.OTHERS_MAX))
          .isEqualTo(
              new Next.Exhausted(
                  rung.word() + " was not tried, unattended-upgrade (4711) still works there"));
    }
  }
}
