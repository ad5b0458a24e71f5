package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.BlockedBatchAnswer;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.impact.core.Hook;
import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.blocked.BlockedQuestions;
import dev.drydock.orchestrator.core.model.BatchHook.Source;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Batches with hooks, phase by phase on a real PostgreSQL. */
@Tag("stack")
class HooksTest {
  private static final Hook MOVE = HookBench.pre("move", Stage.BEFORE_UNDEPLOY, Scope.INSTANCE, 1);
  private static final Hook TELL = HookBench.pre("tell", Stage.BEFORE_UNDEPLOY, Scope.HOST, 2);
  private static final Hook FENCE = HookBench.pre("fence", Stage.AFTER_UNDEPLOY, Scope.BATCH, 0);

  private HookBench bench;

  @BeforeEach
  void start() {
    bench = new HookBench();
    bench.wants(
        MOVE, TELL, FENCE, HookBench.post(MOVE), HookBench.post(TELL), HookBench.post(FENCE));
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private String host(String host) {
    return bench.fleet.value(
        "SELECT state || ': ' || reason FROM host_upgrades WHERE host = '" + host + "'");
  }

  private String step(String host) {
    return bench.fleet.value("SELECT step FROM host_upgrades WHERE host = '" + host + "'");
  }

  /** Brings it back to the end; the steps of that. */
  private List<String> undone(BatchRun run, Progress because) {
    int before = bench.done(run).size();
    bench.back(run, because);
    assertThat(bench.pass(run, Phase.UNDO).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    List<String> all = bench.done(run);
    return all.subList(before, all.size());
  }

  @Test
  void runInTheirStagesAndOrdersAndBackInTheMirroredOrder() {
    BatchRun run = bench.begin("a1", "a2");
    assertThat(bench.reach(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(bench.done(run))
        .containsExactly(
            "Freeze a1",
            "Freeze a2",
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
    assertThat(host("a1")).isEqualTo("Upgraded: ");
  }

  /** The control of the mirrored order: rows that say another one are seen. */
  @Test
  void anotherOrderWouldBeSeen() {
    BatchRun run = bench.begin("b1");
    bench.reach(run, Phase.RECOVER);
    bench.fleet.execute("UPDATE batch_hooks SET ordinal = 3 - ordinal");
    bench.pass(run, Phase.AFTER_DEPLOY);
    assertThat(bench.done(run)).endsWith("Hook move web@b1", "Hook tell b1");
  }

  @Test
  void theHooksOfSeveralTeamsAreMergedByOrder() {
    Hook late = HookBench.pre("late", Stage.BEFORE_UNDEPLOY, Scope.HOST, 9);
    Hook first = HookBench.pre("first", Stage.BEFORE_UNDEPLOY, Scope.HOST, 0);
    bench.fleet.wanted =
        List.of(
            new HookPolicy(new Source("ads", 1, "ads-team"), Set.of("ads"), List.of(first)),
            new HookPolicy(new Source("mail", 1, "mail-team"), Set.of("mail"), List.of(first)),
            new HookPolicy(new Source("web", 3, "web-team"), Set.of("web"), List.of(late, TELL)));
    bench.fleet.host("c1");
    bench.fleet.instance("ads", "c1");
    bench.fleet.rollout("rc", "c1");
    BatchRun run = bench.fleet.run(bench.fleet.grant("rc", "c1"));
    bench.reach(run, Phase.BEFORE_UNDEPLOY);
    assertThat(bench.done(run))
        .containsExactly("Freeze c1", "Hook first c1", "Hook tell c1", "Hook late c1");
  }

  @Test
  void aBatchWithoutHooksHasNothingToDoWithThem() {
    bench.fleet.wanted =
        List.of(new HookPolicy(new Source("ads", 1, "ads"), Set.of("ads"), List.of(MOVE)));
    BatchRun run = bench.begin("d1");
    assertThat(bench.reach(run, Phase.FREEZE).hooked()).isFalse();
    bench.wants(MOVE);
    assertThat(bench.pursue(run, Phase.FREEZE).hooked()).as("nor later ones").isFalse();
    assertThat(bench.fleet.value("SELECT count(*) FROM batch_hooks")).isEqualTo("0");
  }

  @Test
  void aPolicyThatChangesInTheMiddleChangesNothing() {
    BatchRun run = bench.begin("e1");
    assertThat(bench.reach(run, Phase.FREEZE).hooked()).isTrue();
    bench.fleet.wanted = List.of();
    assertThat(bench.pursue(run, Phase.FREEZE).hooked()).isTrue();
    bench.reach(run, Phase.AFTER_DEPLOY);
    assertThat(bench.done(run)).endsWith("Hook tell e1", "Hook move web@e1");
  }

  @Test
  void aVetoTurnsTheBatchBackAndTakesBackWhatWasBegunAndNothingElse() {
    BatchRun run = bench.begin("f1", "f2");
    bench.reach(run, Phase.CONFIRM);
    bench.pursue(run, Phase.BEFORE_UNDEPLOY);
    assertThat(step("f1")).isEqualTo("BeforeUndeploy: move");
    bench.end(
        bench.job(run, "move", "web@f1"),
        new JobResult().setOutcome(JobOutcome.Done).setMessage("moved").setState("leaders: 3"));
    assertThat(bench.pursue(run, Phase.BEFORE_UNDEPLOY).status()).isEqualTo(Status.WAITING);
    bench.end(
        bench.job(run, "move", "web@f2"),
        new JobResult().setOutcome(JobOutcome.Veto).setMessage("no replica is in sync"));
    Progress veto = bench.pursue(run, Phase.BEFORE_UNDEPLOY);
    assertThat(veto)
        .isEqualTo(
            new Progress(
                Status.HELD, "BeforeUndeploy: move of instance web@f2: no replica is in sync"));
    assertThat(undone(run, veto))
        .containsExactly("Unfreeze f1", "Unfreeze f2", "Unhook move web@f1", "Unhook move web@f2");
    assertThat(
            bench.fleet.value(
                "SELECT string_agg(COALESCE(spec->'hook'->>'state', 'none'), ', ' ORDER BY id) FROM"
                    + " jobs WHERE step = 'Unhook'"))
        .isEqualTo("leaders: 3, none");
    assertThat(host("f1")).startsWith("Pending: BeforeUndeploy: move of instance web@f2");
  }

  /** The control: were a hook believed to have begun, it would be taken back. */
  @Test
  void whatWouldHaveBegunWouldBeTakenBack() {
    BatchRun run = bench.begin("q1");
    bench.reach(run, Phase.CONFIRM);
    bench.pursue(run, Phase.BEFORE_UNDEPLOY);
    bench.end(bench.job(run, "move", "web@q1"), JobOutcome.Done);
    bench.pursue(run, Phase.BEFORE_UNDEPLOY);
    bench.fleet.execute(
        "UPDATE jobs SET attempt = 1 WHERE id = '" + bench.job(run, "tell", "q1") + "'");
    assertThat(undone(run, new Progress(Status.HELD, "no")))
        .containsExactly("Unfreeze q1", "Unhook tell q1", "Unhook move web@q1");
  }

  @Test
  void aHookThatFailsAfterTheDrainIsTakenBackBeforeTheRecoveryAndTheOthersAfterIt() {
    BatchRun run = bench.begin("h1");
    bench.reach(run, Phase.DRAIN);
    bench.pursue(run, Phase.AFTER_UNDEPLOY);
    bench.end(bench.job(run, "fence", run.grant()), JobOutcome.Failed);
    Progress failed = bench.pursue(run, Phase.AFTER_UNDEPLOY);
    assertThat(failed)
        .isEqualTo(new Progress(Status.FAILED, "AfterUndeploy: fence of the batch: said Failed"));
    assertThat(undone(run, failed))
        .containsExactly("Unhook fence", "Recover h1", "Unhook tell h1", "Unhook move web@h1");
    assertThat(host("h1")).startsWith("Reverted: AfterUndeploy: fence of the batch");
  }

  @Test
  void theOpenCheckIsMadeAfterTheHooks() {
    BatchRun run = bench.begin("i1");
    bench.reach(run, Phase.BEFORE_UNDEPLOY);
    assertThat(bench.fleet.value("SELECT count(*) FROM checks WHERE kind = 'open'")).isEqualTo("0");
    bench.pursue(run, Phase.OPEN);
    bench.fleet.decide(run.grant(), Fleet.HOLD);
    Progress held = bench.pursue(run, Phase.OPEN);
    assertThat(held.status()).isEqualTo(Status.HELD);
    assertThat(undone(run, held))
        .containsExactly("Unfreeze i1", "Unhook tell i1", "Unhook move web@i1");
  }

  @Test
  void aHookThatIsWithSomebodyWhenTheBatchTurnsBackIsWaitedForAndTakenBack() {
    BatchRun run = bench.begin("j1");
    bench.reach(run, Phase.CONFIRM);
    bench.pursue(run, Phase.BEFORE_UNDEPLOY);
    String job = bench.job(run, "move", "web@j1");
    bench.claim(job);
    bench.back(run, new Progress(Status.FAILED, "aborted"));
    assertThat(bench.pursue(run, Phase.UNDO).status()).isEqualTo(Status.WAITING);
    assertThat(bench.offered(run)).containsExactly("Hook move web@j1");
    bench.fleet.execute("UPDATE jobs SET state = 'Pending', claim = NULL WHERE id = '" + job + "'");
    assertThat(bench.pass(run, Phase.UNDO).status()).isEqualTo(Status.DONE);
    assertThat(bench.done(run)).endsWith("Unfreeze j1", "Unhook move web@j1");
  }

  @Test
  void aHostWhoseStateIsUnknownGetsNothingTakenBack() {
    BatchRun run = bench.begin("k1", "k2");
    bench.reach(run, Phase.OPEN);
    bench.pursue(run, Phase.DRAIN);
    bench.end(run.grant() + ".Drain.k1.4", JobOutcome.Unknown);
    bench.end(run.grant() + ".Drain.k2.4", JobOutcome.Done);
    Progress lost = bench.pursue(run, Phase.DRAIN);
    assertThat(lost.status()).isEqualTo(Status.BROKEN);
    bench.back(run, lost);
    assertThat(bench.pass(run, Phase.UNDO).status()).isEqualTo(Status.BROKEN);
    assertThat(bench.fleet.activities.quarantine(run, Phase.UNDO)).isEqualTo(1);
    bench.fleet.activities.recordEnd(run);
    assertThat(bench.done(run))
        .endsWith("Recover k2", "Unhook tell k2", "Unhook move web@k2")
        .doesNotContain("Unhook tell k1");
    assertThat(host("k1"))
        .isEqualTo(
            "Quarantined: Drain: said Unknown; not done: AfterDeploy: move of instance web@k1,"
                + " AfterDeploy: tell of host k1");
  }

  @Test
  void aPostHookThatFailsBlocksUntilPeopleSayWhatIsDone() {
    BatchRun run = bench.begin("l1");
    bench.reach(run, Phase.RECOVER);
    bench.pursue(run, Phase.AFTER_DEPLOY);
    bench.end(bench.job(run, "tell", "l1"), JobOutcome.Failed);
    assertThat(bench.pursue(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.WAITING);
    assertThat(bench.pursue(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.WAITING);
    String question = run.grant() + ".1";
    assertThat(host("l1"))
        .isEqualTo(
            "InProgress: AfterDeploy: tell of host l1: said Failed; drydock blocked answer "
                + question);
    answer(question, BlockedBatchAnswer.Retry);
    assertThat(bench.pursue(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.WAITING);
    assertThat(bench.offered(run)).containsExactly("Hook tell l1");
    assertThat(bench.pass(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(host("l1")).isEqualTo("Upgraded: ");
  }

  @Test
  void aPostHookThatStaysFailedKeepsItsHostAside() {
    BatchRun run = bench.begin("m1", "m2");
    bench.reach(run, Phase.RECOVER);
    bench.pursue(run, Phase.AFTER_DEPLOY);
    bench.end(bench.job(run, "tell", "m1"), JobOutcome.Failed);
    bench.end(bench.job(run, "tell", "m2"), JobOutcome.Done);
    bench.pursue(run, Phase.AFTER_DEPLOY);
    answer(run.grant() + ".1", BlockedBatchAnswer.GoOn);
    assertThat(bench.pass(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.ASIDE);
    assertThat(bench.fleet.activities.quarantine(run, Phase.AFTER_DEPLOY)).isEqualTo(1);
    bench.fleet.activities.recordEnd(run);
    assertThat(host("m1"))
        .startsWith("Quarantined: AfterDeploy: tell of host m1: said Failed; GoOn by any")
        .endsWith("not done: AfterDeploy: move of instance web@m1, AfterDeploy: tell of host m1");
    assertThat(host("m2")).isEqualTo("Upgraded: ");
  }

  @Test
  void wherePoliciesSayGoOnAFailedPostHookKeepsItsHostAsideAtOnce() {
    bench.fleet.onHostFailure = OnHostFailure.GO_ON;
    BatchRun run = bench.begin("n1", "n2");
    bench.reach(run, Phase.RECOVER);
    bench.pursue(run, Phase.AFTER_DEPLOY);
    bench.end(bench.job(run, "tell", "n1"), JobOutcome.Failed);
    bench.end(bench.job(run, "tell", "n2"), JobOutcome.Done);
    assertThat(bench.pass(run, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.ASIDE);
    assertThat(bench.done(run)).endsWith("Hook tell n2", "Hook move web@n2");
  }

  @Test
  void whatCannotBeTakenBackBlocksAsWell() {
    BatchRun run = bench.begin("o1");
    bench.reach(run, Phase.BEFORE_UNDEPLOY);
    bench.back(run, new Progress(Status.FAILED, "aborted"));
    bench.pursue(run, Phase.UNDO);
    bench.end(run.grant() + ".Unfreeze.o1.4", JobOutcome.Done);
    bench.pursue(run, Phase.UNDO);
    bench.end(bench.job(run, "tell", "o1"), JobOutcome.Failed);
    assertThat(bench.pursue(run, Phase.UNDO).status()).isEqualTo(Status.WAITING);
    answer(run.grant() + ".1", BlockedBatchAnswer.Retry);
    assertThat(bench.pass(run, Phase.UNDO).status()).isEqualTo(Status.DONE);
    bench.fleet.activities.recordEnd(run);
    assertThat(bench.done(run)).endsWith("Unhook tell o1", "Unhook move web@o1");
  }

  @Test
  void aLaterRunGoesOnWhereTheRowsSayItIs() {
    BatchRun run = bench.begin("p1");
    bench.reach(run, Phase.CONFIRM);
    bench.pursue(run, Phase.BEFORE_UNDEPLOY);
    BatchRun later = bench.fleet.activities.begin(run.grant(), "another");
    assertThat(bench.reach(later, Phase.AFTER_DEPLOY).status()).isEqualTo(Status.DONE);
    assertThat(bench.done(later)).filteredOn("Hook move web@p1"::equals).hasSize(2);
  }

  private void answer(String question, BlockedBatchAnswer answer) {
    new BlockedQuestions(bench.jdbi()).answer(HookBench.ANYBODY, question, answer, "");
  }
}
