package dev.drydock.auditor.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Hooks in logs made up: two before the drain, one after it, and what takes each back. */
class HookOrderCheckTest {

  private static LogBuilder diary() {
    return new LogBuilder()
        .hook(1, "BeforeUndeploy", 1, 0)
        .hook(2, "BeforeUndeploy", 2, 0)
        .hook(3, "AfterUndeploy", 0, 0)
        .hook(4, "BeforeDeploy", 0, 3)
        .hook(5, "AfterDeploy", 1, 1)
        .hook(6, "AfterDeploy", 2, 2);
  }

  private static LogBuilder drained() {
    return diary().done("Cordon", 1, 0).done("Hook", 2, 1).done("Hook", 3, 2).done("Drain", 4, 0);
  }

  private static LogBuilder healthy() {
    return drained().done("Hook", 5, 3).done("Update", 6, 0).done("Health", 7, 0);
  }

  private static LogBuilder recovered() {
    return healthy().done("Hook", 8, 4).done("Recover", 9, 0);
  }

  private static List<String> says(LogBuilder logBuilder) {
    StepOrderCheck check = new StepOrderCheck(LogBuilder.rollout());
    check.look(logBuilder.page());
    return check.finding().violations().stream().map(FindingDetail::says).toList();
  }

  @Test
  void stagesAndOrdersAsTheyShouldBeAreClean() {
    LogBuilder whole =
        recovered().done("Hook", 10, 6).done("Hook", 11, 5).event("HostUpgraded", "Recover.9", 0);
    assertThat(says(whole)).isEmpty();
  }

  @Test
  void postHooksThatDoNotMirrorTheOrderAreFound() {
    assertThat(says(recovered().done("Hook", 10, 5).done("Hook", 11, 6)))
        .containsExactly(
            "AfterDeploy hook5 was given out before AfterDeploy hook6 was done, which comes first,"
                + " under g1");
  }

  @Test
  void preHooksOutOfOrderAreFound() {
    assertThat(says(diary().done("Cordon", 1, 0).done("Hook", 2, 2).done("Hook", 3, 1)))
        .containsExactly(
            "BeforeUndeploy hook2 was given out before BeforeUndeploy hook1 was done, which comes"
                + " first, under g1");
  }

  @Test
  void aStepBeforeTheHooksOfItsStageAreDoneIsFound() {
    assertThat(says(diary().done("Cordon", 1, 0).done("Hook", 2, 1).done("Drain", 3, 0)))
        .containsExactly("Drain was given out before BeforeUndeploy hook2 was done, under g1");
    assertThat(says(drained().done("Update", 5, 0)))
        .containsExactly("Update was given out before AfterUndeploy hook3 was done, under g1");
    assertThat(says(healthy().done("Recover", 8, 0)))
        .containsExactly("Recover was given out before BeforeDeploy hook4 was done, under g1");
    assertThat(says(recovered().done("Hook", 10, 6).event("HostUpgraded", "Recover.9", 0)))
        .containsExactly("it was told to be upgraded before AfterDeploy hook5 was done, under g1");
  }

  @Test
  void aHookOutOfItsStageIsFound() {
    assertThat(says(diary().done("Cordon", 1, 0).done("Hook", 2, 3)))
        .containsExactly("AfterUndeploy hook3 was given out before the drain was done, under g1");
    assertThat(says(drained().done("Hook", 5, 3).done("Hook", 6, 4)))
        .containsExactly("BeforeDeploy hook4 was given out before health had passed, under g1");
    assertThat(says(healthy().done("Hook", 8, 6)))
        .contains("AfterDeploy hook6 was given out before the host was back, under g1");
  }

  @Test
  void onTheWayBackOnlyWhatWasBegunHasAnOrder() {
    LogBuilder begun = diary().done("Cordon", 1, 0).done("Hook", 2, 1).done("Uncordon", 3, 0);
    assertThat(says(begun.done("Unhook", 4, 5))).isEmpty();
    LogBuilder both = drained().done("Recover", 5, 0).done("Unhook", 6, 5).done("Unhook", 7, 6);
    assertThat(says(both))
        .contains(
            "AfterDeploy hook5 was given out before AfterDeploy hook6 was done, which comes first,"
                + " under g1");
  }

  @Test
  void whatWasBegunIsTakenBackAndNothingElse() {
    LogBuilder back = diary().done("Cordon", 1, 0).done("Hook", 2, 1).done("Uncordon", 3, 0);
    assertThat(wayOut(back.page()))
        .containsExactly(
            "it ended, but AfterDeploy hook5 did not take back what its pre hook had begun");
    assertThat(wayOut(back.done("Unhook", 4, 5).page())).isEmpty();
    assertThat(wayOut(back.done("Unhook", 5, 6).page()))
        .containsExactly("AfterDeploy hook6 took back what no hook had done");
  }

  /** Of the same grant, ended on its way back; its history is behind. */
  private static List<String> wayOut(LogPage logPage) {
    LoggedGrant open = logPage.grants().getFirst();
    LoggedGrant ended =
        new LoggedGrant(
            open.id(),
            open.hosts(),
            "ended",
            open.epoch(),
            open.revision(),
            open.blind(),
            Optional.of("Requeued"),
            LogBuilder.BEGIN,
            Optional.of(LogBuilder.BEGIN),
            Optional.of(LogBuilder.BEGIN));
    UndoCheck check = new UndoCheck(LogBuilder.rollout());
    check.look(
        new LogPage(
            logPage.hosts(),
            List.of(ended),
            List.of(),
            logPage.jobs(),
            logPage.hooks(),
            List.of(),
            List.of(),
            List.of()));
    return check.finding().violations().stream().map(FindingDetail::says).toList();
  }
}
