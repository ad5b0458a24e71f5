package dev.drydock.orchestrator.core.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision.Option;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.core.model.JobOrder;
import dev.drydock.orchestrator.core.model.JobStatus;
import dev.drydock.orchestrator.core.model.RollbackTarget;
import dev.drydock.orchestrator.core.testkit.BatchScript;
import dev.drydock.orchestrator.core.testkit.Batches;
import dev.drydock.orchestrator.core.testkit.Hooks;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Batches with hooks. */
class HooksTest {
  private static final PolicyHook MOVE =
      Hooks.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 1);
  private static final PolicyHook TELL = Hooks.pre("tell", Stage.BEFORE_UNDEPLOY, Scope.HOST, 2);
  private static final PolicyHook FENCE = Hooks.pre("fence", Stage.AFTER_UNDEPLOY, Scope.BATCH, 0);
  private static final HookPolicy WEB =
      Hooks.policy("web", MOVE, TELL, FENCE, Hooks.post(MOVE), Hooks.post(TELL), Hooks.post(FENCE));

  private static Batches batch(String... hosts) {
    Batches batch = Batches.of(hosts).wants(WEB);
    for (String host : hosts) {
      batch.runs("web", host);
    }
    return batch;
  }

  private static BatchScript begin(String... hosts) {
    return BatchScript.of(batch(hosts)).decide();
  }

  private static BatchScript back(BatchScript batchScript) {
    return batchScript
        .meanwhile(batch -> batch.goingBack(RollbackTarget.REVERTED, "aborted"))
        .decide();
  }

  /** What is done from now on until it ends. */
  private static List<String> undone(BatchScript batchScript) {
    int before = batchScript.done().size();
    List<String> all = batchScript.toItsEnd().done();
    return all.subList(before, all.size());
  }

  @Test
  void runInTheirStagesAndOrdersAndBackInTheMirroredOrder() {
    BatchScript batchScript = begin("a1", "a2").toItsEnd();
    assertThat(batchScript.done())
        .containsExactly(
            "Cordon a1",
            "Cordon a2",
            "Hook move web@a1",
            "Hook move web@a2",
            "Hook tell a1",
            "Hook tell a2",
            "Drain a1",
            "Drain a2",
            "Hook fence",
            "Update a1",
            "Update a2",
            "Health a1",
            "Health a2",
            "Hook fence",
            "Recover a1",
            "Recover a2",
            "Hook tell a1",
            "Hook tell a2",
            "Hook move web@a1",
            "Hook move web@a2");
    assertThat(batchScript.left("a1")).isEqualTo("Upgraded: ");
  }

  /** The control of the mirrored order: hooks that were written in another one run in that. */
  @Test
  void anotherOrderWouldBeSeen() {
    BatchScript batchScript = begin("b1").until("Recover b1");
    BatchHook[] turned =
        batchScript.now().hooks().stream()
            .map(hook -> at(hook, 3 - hook.order()))
            .toArray(BatchHook[]::new);
    batchScript.meanwhile(batch -> batch.hooks(turned)).toItsEnd();
    assertThat(batchScript.done()).endsWith("Hook move web@b1", "Hook tell b1");
  }

  private static BatchHook at(BatchHook hook, int order) {
    return new BatchHook(
        hook.number(),
        hook.name(),
        hook.stage(),
        hook.scope(),
        hook.target(),
        hook.hosts(),
        hook.instances(),
        order,
        hook.source(),
        hook.params(),
        hook.timeout(),
        hook.pre());
  }

  @Test
  void theHooksOfSeveralTeamsAreMergedByOrder() {
    PolicyHook late = Hooks.pre("late", Stage.BEFORE_UNDEPLOY, Scope.HOST, 9);
    PolicyHook first = Hooks.pre("first", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0);
    Batches batch =
        Batches.of("c1")
            .runs("web", "c1")
            .runs("ads", "c1")
            .wants(
                Hooks.policy("ads", first),
                Hooks.policy("mail", first),
                Hooks.policy("web", late, TELL));
    assertThat(BatchScript.of(batch).until("Drain c1").done())
        .containsExactly("Cordon c1", "Hook first c1", "Hook tell c1", "Hook late c1");
  }

  @Test
  void aBatchWithoutHooksHasNothingToDoWithThem() {
    Batches batch = Batches.of("d1").runs("web", "d1").wants(Hooks.policy("ads", MOVE));
    BatchScript batchScript = BatchScript.of(batch).decide().done("Cordon d1");
    assertThat(batchScript.decided(Action.WriteHooks.class))
        .containsExactly(new Action.WriteHooks(List.of()));
    batchScript.meanwhile(one -> one.wants(WEB)).toItsEnd();
    assertThat(batchScript.done()).as("nor later ones").noneMatch(job -> job.startsWith("Hook"));
  }

  @Test
  void aPolicyThatChangesInTheMiddleChangesNothing() {
    BatchScript batchScript = begin("e1").done("Cordon e1");
    batchScript.meanwhile(batch -> batch.wants()).toItsEnd();
    assertThat(batchScript.done()).endsWith("Hook tell e1", "Hook move web@e1");
    assertThat(batchScript.decided(Action.WriteHooks.class)).hasSize(1);
  }

  @Test
  void aVetoTurnsTheBatchBackAndTakesBackWhatWasBegunAndNothingElse() {
    BatchScript batchScript = begin("f1", "f2").until("Hook move web@f1");
    assertThat(batchScript.host("f1").step()).isEqualTo("BeforeUndeploy: move");
    batchScript.done("Hook move web@f1");
    assertThat(batchScript.wentBack()).isEmpty();
    batchScript.end("Hook move web@f2", JobStatus.VETOED, "no replica is in sync");
    assertThat(batchScript.wentBack())
        .isEqualTo("Requeued: BeforeUndeploy: move of instance web@f2: no replica is in sync");
    assertThat(undone(batchScript))
        .containsExactly("Uncordon f1", "Uncordon f2", "Unhook move web@f1", "Unhook move web@f2");
    assertThat(batchScript.left("f1"))
        .startsWith("Requeued: BeforeUndeploy: move of instance web@f2");
  }

  /** The control: were a hook believed to have begun, it would be taken back. */
  @Test
  void whatWouldHaveBegunWouldBeTakenBack() {
    BatchScript batchScript = begin("q1").until("Hook tell q1");
    assertThat(undone(back(begin("q1").until("Hook tell q1"))))
        .containsExactly("Uncordon q1", "Unhook move web@q1");
    batchScript.claimed("Hook tell q1").silent("Hook tell q1");
    assertThat(undone(back(batchScript)))
        .containsExactly("Uncordon q1", "Unhook tell q1", "Unhook move web@q1");
  }

  @Test
  void aHookThatFailsAfterTheDrainIsTakenBackBeforeTheRecoveryAndTheOthersAfterIt() {
    BatchScript batchScript = begin("h1").until("Hook fence").failed("Hook fence");
    assertThat(batchScript.wentBack())
        .isEqualTo("Reverted: AfterUndeploy: fence of the batch: said Failed");
    assertThat(undone(batchScript))
        .containsExactly("Unhook fence", "Recover h1", "Unhook tell h1", "Unhook move web@h1");
    assertThat(batchScript.left("h1")).startsWith("Reverted: AfterUndeploy: fence of the batch");
  }

  @Test
  void theOpenCheckIsMadeAfterTheHooks() {
    BatchScript batchScript = begin("i1").until("Hook tell i1");
    assertThat(batchScript.now().checks())
        .extracting(Check::kind)
        .containsExactly(Check.Kind.CONFIRM);
    batchScript.done("Hook tell i1");
    assertThat(batchScript.now().checks()).extracting(Check::kind).contains(Check.Kind.OPEN);
    assertThat(undone(batchScript.held("too few up")))
        .containsExactly("Uncordon i1", "Unhook tell i1", "Unhook move web@i1");
  }

  @Test
  void aHookThatIsWithSomebodyWhenTheBatchTurnsBackIsWaitedForAndTakenBack() {
    BatchScript batchScript = begin("j1").until("Hook move web@j1").claimed("Hook move web@j1");
    back(batchScript);
    assertThat(batchScript.offered()).containsExactly("Hook move web@j1");
    assertThat(batchScript.waitsFor()).isEqualTo("jobs that lead forward");
    batchScript.silent("Hook move web@j1");
    assertThat(undone(batchScript)).containsExactly("Uncordon j1", "Unhook move web@j1");
  }

  @Test
  void aHostWhoseStateIsUnknownGetsNothingTakenBack() {
    BatchScript batchScript =
        begin("k1", "k2").until("Drain k1").unknown("Drain k1").done("Drain k2");
    assertThat(batchScript.wentBack()).isEqualTo("Reverted: Drain: said Unknown");
    batchScript.toItsEnd();
    assertThat(batchScript.done())
        .endsWith("Recover k2", "Unhook tell k2", "Unhook move web@k2")
        .doesNotContain("Unhook tell k1");
    assertThat(batchScript.left("k1"))
        .isEqualTo(
            "Quarantined: Drain: said Unknown; not done: AfterDeploy: move of instance web@k1,"
                + " AfterDeploy: tell of host k1");
  }

  @Test
  void aPostHookThatFailsBlocksUntilPeopleSayWhatIsDone() {
    BatchScript batchScript =
        begin("l1").until("Recover l1").done("Recover l1").failed("Hook tell l1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    assertThat(batchScript.host("l1").says())
        .isEqualTo("AfterDeploy: tell of host l1: said Failed; drydock decision answer g1.1");
    batchScript.answer(Option.RETRY);
    assertThat(batchScript.offered()).containsExactly("Hook tell l1");
    assertThat(batchScript.toItsEnd().left("l1")).isEqualTo("Upgraded: ");
  }

  @Test
  void aPostHookThatStaysFailedKeepsItsHostAside() {
    BatchScript batchScript =
        begin("m1", "m2").until("Recover m1").done("Recover m1", "Recover m2");
    batchScript.failed("Hook tell m1").done("Hook tell m2").answer(Option.GO_ON);
    assertThat(batchScript.offered()).containsExactly("Hook move web@m2");
    batchScript.toItsEnd();
    assertThat(batchScript.left("m1"))
        .startsWith("Quarantined: AfterDeploy: tell of host m1: said Failed; GoOn by any")
        .endsWith("not done: AfterDeploy: move of instance web@m1, AfterDeploy: tell of host m1");
    assertThat(batchScript.left("m2")).isEqualTo("Upgraded: ");
  }

  @Test
  void wherePoliciesSayGoOnAFailedPostHookKeepsItsHostAsideAtOnce() {
    BatchScript batchScript = BatchScript.of(batch("n1", "n2").onHostFailure(OnHostFailure.GO_ON));
    batchScript.until("Recover n1").done("Recover n1", "Recover n2");
    batchScript.failed("Hook tell n1").done("Hook tell n2").toItsEnd();
    assertThat(batchScript.done()).endsWith("Hook tell n2", "Hook move web@n2");
    assertThat(batchScript.hosts()).isEqualTo("n1 Quarantined, n2 Upgraded");
  }

  @Test
  void whatCannotBeTakenBackBlocksAsWell() {
    BatchScript batchScript = back(begin("o1").until("Drain o1"));
    batchScript.done("Uncordon o1").failed("Unhook tell o1");
    assertThat(batchScript.waitsFor()).isEqualTo("answer to g1.1");
    batchScript.answer(Option.RETRY);
    assertThat(undone(batchScript)).endsWith("Unhook tell o1", "Unhook move web@o1");
  }

  /** The batch goes back and waits: nothing was taken from its hosts yet. */
  @Test
  void aHookThatNobodyClaimsBeforeTheUndeploySendsTheBatchBack() {
    BatchScript batchScript = begin("q1").until("Hook move web@q1").untaken("Hook move web@q1");
    assertThat(batchScript.wentBack())
        .startsWith("Requeued: BeforeUndeploy: move of instance web@q1: no consumer of hook/move");
  }

  @Test
  void aLaterRunGoesOnWhereTheRowsSayItIs() {
    BatchScript batchScript = begin("p1").until("Hook move web@p1").anotherRun().toItsEnd();
    assertThat(batchScript.done()).filteredOn("Hook move web@p1"::equals).hasSize(2);
    assertThat(batchScript.left("p1")).isEqualTo("Upgraded: ");
  }

  @Test
  void aHookThatAsksToBeAskedAgainKeepsItsDeadline() {
    BatchScript batchScript = begin("r1").until("Hook move web@r1");
    String first = batchScript.jobs().getLast().id();
    batchScript.end("Hook move web@r1", JobStatus.WAITED, "two leaders left");
    assertThat(batchScript.offered()).containsExactly("Hook move web@r1");
    List<Action.Publish> published = batchScript.decided(Action.Publish.class);
    JobOrder again = published.getLast().order();
    assertThat(again.after()).contains(first);
    batchScript.untaken("Hook move web@r1");
    assertThat(batchScript.wentBack())
        .isEqualTo(
            "Reverted: BeforeUndeploy: move of instance web@r1: it was not ready in time, and said"
                + " last: two leaders left");
  }

  /** Hosts were updated, and what hooks began is not done: people look after the whole. */
  @Test
  void aLostRunLeavesUpdatedHostsWithHooksToPeople() {
    BatchScript batchScript = begin("s1").until("Health s1").reclaimed();
    batchScript.done("Verify s1", "Health s1");
    assertThat(batchScript.left("s1"))
        .startsWith("Quarantined: its run was lost; it is updated and healthy, and what hooks");
  }
}
