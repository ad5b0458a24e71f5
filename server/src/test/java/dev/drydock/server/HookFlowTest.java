package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DecisionState;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.RolloutState;
import dev.drydock.auditor.Auditor;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.Invariant;
import dev.drydock.auditor.core.InvariantVerdict;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Hooks over the public API alone: a real server, hosts with their scheduler and operator, and a
 * consumer in plain Python that says what the parameters of the hooks tell it. The auditor reads
 * what was logged of each rollout, as it is and falsified.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class HookFlowTest {
  private static final Path CONSUMER = Path.of("../orchestrator/src/test/python/hook_consumer.py");

  private TestServer server;
  private DrydockClient client;
  private SmallSite site;
  private Jdbi database;
  private Auditor auditor;
  private Process consumer;
  private Path told;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    client = new DrydockClient(ClientConfig.of(server.address(""), token));
    database = server.database();
    auditor = new Auditor(database, Duration.ofMinutes(30), Duration.ofSeconds(30));
    site = new SmallSite(client);
    for (String host :
        List.of("cell1", "cell2", "shy1", "torn1", "late1", "plain1", "aged1", "aged2")) {
      String application = host.substring(0, host.length() - 1);
      site.put(application + "@" + host, application, host, true);
    }
    site.start();
    told = folder.resolve("told");
    consumer =
        new ProcessBuilder(
                "python3",
                CONSUMER.toString(),
                server.address("").toString(),
                token.toString(),
                "move-leaders",
                "fence",
                "catch-up")
            .redirectErrorStream(true)
            .redirectOutput(told.toFile())
            .start();
  }

  @AfterAll
  void close() throws Exception {
    consumer.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    site.close();
    client.close();
    server.close();
  }

  /** Its hooks say these words, one after the other. */
  private void policy(String application, String more, String move, String fence, String catchUp) {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: %1$s, team: t}
        spec:
          applications: [%1$s]
          capacity: [{maxUnavailable: 100%%}]
        %2$s
          hooks:
            pre:
              - {name: move-leaders, stage: BeforeUndeploy, scope: Instance, order: 1, params: {says: %3$s}}
              - {name: catch-up, stage: BeforeUndeploy, scope: Host, order: 2}
              - {name: fence, stage: AfterUndeploy, scope: Batch, params: {says: %4$s}}
            post:
              - {name: fence, stage: BeforeDeploy, scope: Batch}
              - {name: catch-up, stage: AfterDeploy, scope: Host, params: {says: %5$s}}
              - {name: move-leaders, stage: AfterDeploy}
        """
            .formatted(application, more, move, fence, catchUp));
  }

  private List<String> told(String about) {
    try {
      return Files.readAllLines(told).stream().filter(line -> line.contains(about)).toList();
    } catch (IOException unreadable) {
      throw new UncheckedIOException("the consumer wrote nothing", unreadable);
    }
  }

  private String reason(String rollout, String host) {
    return site.upgrade(rollout, host).getReason();
  }

  private void ends(String rollout, RolloutState state) {
    until(rollout + " ended", () -> client.rollout(rollout).hasEndedAt());
    assertThat(client.rollout(rollout).getState()).isEqualTo(state);
  }

  private void isClean(String rollout) {
    until(
        "the auditor is content with " + rollout,
        () ->
            auditor.audit(rollout).orElseThrow().findings().stream()
                .allMatch(finding -> finding.verdict() == InvariantVerdict.HELD));
  }

  @Test
  void aBatchKeepsItsHostsTogetherFromHookToHook() {
    policy("cell", "  batching: {by: faultZone, mode: AllOrNone}", "Wait Done", "Done", "Done");
    String rollout = site.rollout("cell1", "cell2");
    ends(rollout, RolloutState.Succeeded);
    assertThat(told("cell"))
        .containsExactlyInAnyOrder(
            "Hook BeforeUndeploy move-leaders cell@cell1 Wait, told nothing",
            "Hook BeforeUndeploy move-leaders cell@cell2 Wait, told nothing",
            "Hook BeforeUndeploy move-leaders cell@cell1 Done, told cell@cell1 asked 1",
            "Hook BeforeUndeploy move-leaders cell@cell2 Done, told cell@cell2 asked 1",
            "Hook BeforeUndeploy catch-up cell1 Done, told nothing",
            "Hook BeforeUndeploy catch-up cell2 Done, told nothing",
            "Hook AfterUndeploy fence cell1,cell2 Done, told nothing",
            "Hook BeforeDeploy fence cell1,cell2 Done, told cell1,cell2 asked 1",
            "Hook AfterDeploy catch-up cell1 Done, told cell1 asked 1",
            "Hook AfterDeploy catch-up cell2 Done, told cell2 asked 1",
            "Hook AfterDeploy move-leaders cell@cell1 Done, told cell@cell1 asked 2",
            "Hook AfterDeploy move-leaders cell@cell2 Done, told cell@cell2 asked 2");
    assertThat(shown("cell1"))
        .containsSubsequence(
            "BeforeUndeploy: move-leaders",
            "BeforeUndeploy: catch-up",
            "Drain",
            "AfterUndeploy: fence",
            "Update",
            "BeforeDeploy: fence",
            "Recover",
            "AfterDeploy: catch-up",
            "AfterDeploy: move-leaders");
    isClean(rollout);
    violates(
        rollout,
        Invariant.I5,
        "was given out before AfterDeploy move-leaders was done, which comes first",
        RolloutRows.HOOKS_IN_WRONG_ORDER);
    violates(
        rollout,
        Invariant.I5,
        "Drain was given out before BeforeUndeploy move-leaders was done",
        RolloutRows.hookNeverDone("move-leaders", "cell1"));
  }

  /** The steps that were shown of the host. */
  private List<String> shown(String host) {
    return database.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    SELECT data->>'step' FROM events
                    WHERE kind = 'HostUpgradeChanged' AND host = :host AND jsonb_exists(data, 'step')
                    ORDER BY id
                    """)
                .bind("host", host)
                .mapTo(String.class)
                .list());
  }

  /** The rows of its jobs are told of once more as somebody else might have written them. */
  private void violates(String rollout, Invariant invariant, String says, String falsified) {
    try (Handle handle = database.open()) {
      handle.begin();
      assertThat(handle.execute(falsified)).as("changes something").isPositive();
      List<Finding> found = auditor.audit(handle, rollout).orElseThrow().findings();
      handle.rollback();
      assertThat(found)
          .filteredOn(finding -> finding.invariant() == invariant)
          .flatExtracting(Finding::violations)
          .as(found.toString())
          .anySatisfy(violation -> assertThat(violation.says()).contains(says));
    }
  }

  @Test
  void aVetoTurnsTheBatchBackAndItIsTriedAgain() {
    policy("shy", "", "Veto Done", "Done", "Done");
    String rollout = site.rollout("shy1");
    until(
        "the reason names the hook",
        () ->
            reason(rollout, "shy1")
                .equals("BeforeUndeploy: move-leaders of instance shy@shy1: asked 1 times"));
    ends(rollout, RolloutState.Succeeded);
    assertThat(told("shy").subList(0, 3))
        .containsExactly(
            "Hook BeforeUndeploy move-leaders shy@shy1 Veto, told nothing",
            "Unhook AfterDeploy move-leaders shy@shy1 Done, told shy@shy1 asked 1",
            "Hook BeforeUndeploy move-leaders shy@shy1 Done, told nothing");
    isClean(rollout);
    violates(
        rollout,
        Invariant.I8,
        "AfterDeploy move-leaders did not take back what its pre hook had begun",
        RolloutRows.notTakenBack("shy1"));
    violates(
        rollout,
        Invariant.I8,
        "AfterDeploy move-leaders took back what no hook had done",
        RolloutRows.neverBegun("shy1"));
  }

  @Test
  void aHookThatFailsAfterTheDrainBringsTheHostBack() {
    policy("torn", "", "Done", "Failed", "Done");
    String rollout = site.rollout("torn1");
    ends(rollout, RolloutState.Degraded);
    assertThat(site.upgrade(rollout, "torn1").getState()).isEqualTo(HostUpgradeState.Reverted);
    assertThat(reason(rollout, "torn1"))
        .isEqualTo("AfterUndeploy: fence of the batch: asked 1 times");
    assertThat(site.done("torn1")).containsExactly("Cordon", "Drain", "Recover");
    assertThat(told("torn"))
        .containsExactly(
            "Hook BeforeUndeploy move-leaders torn@torn1 Done, told nothing",
            "Hook BeforeUndeploy catch-up torn1 Done, told nothing",
            "Hook AfterUndeploy fence torn1 Failed, told nothing",
            "Unhook BeforeDeploy fence torn1 Done, told torn1 asked 1",
            "Unhook AfterDeploy catch-up torn1 Done, told torn1 asked 1",
            "Unhook AfterDeploy move-leaders torn@torn1 Done, told torn@torn1 asked 1");
    isClean(rollout);
  }

  @Test
  void aPostHookThatFailsBlocksUntilPeopleSayTryAgain() {
    policy("late", "", "Done", "Done", "Failed Done");
    String rollout = site.rollout("late1");
    until("somebody is asked", () -> !open(rollout).isEmpty());
    Decision blocked = open(rollout).getFirst();
    assertThat(blocked.getReason()).isEqualTo("AfterDeploy: catch-up of host late1: asked 1 times");
    assertThat(reason(rollout, "late1"))
        .isEqualTo(blocked.getReason() + "; drydock decision answer " + blocked.getId());
    client.decide(blocked.getId(), DecisionOption.Retry, "it is there now");
    ends(rollout, RolloutState.Succeeded);
    isClean(rollout);
  }

  private List<Decision> open(String rollout) {
    return client.decisions(false).stream()
        .filter(batch -> batch.getRollout().equals(rollout))
        .filter(batch -> batch.getState() == DecisionState.Open)
        .toList();
  }

  /** What was allowed before the hooks is asked again after them: by then another host is down. */
  @Test
  void whatBefellOthersDuringALongHookKeepsTheHostUp() {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: aged, team: t}
        spec:
          applications: [aged]
          capacity: [{maxUnavailable: 1}]
          hooks: {pre: [{name: slow, stage: BeforeUndeploy, scope: Host}]}
        """);
    String rollout = site.rollout("aged1");
    ClaimedJob hook = slowHook();
    site.put("aged@aged2", "aged", "aged2", false);
    site.report();
    done(hook);
    until("the batch is turned back", () -> site.done("aged1").contains("Uncordon"));
    assertThat(site.done("aged1")).containsExactly("Cordon", "Uncordon");
    until("the reason tells the rule", () -> reason(rollout, "aged1").contains("maxUnavailable 1"));

    site.put("aged@aged2", "aged", "aged2", true);
    site.report();
    done(slowHook());
    ends(rollout, RolloutState.Succeeded);
    assertThat(site.done("aged1"))
        .containsSubsequence("Cordon", "Uncordon", "Cordon", "Drain", "Recover");
    isClean(rollout);
  }

  private ClaimedJob slowHook() {
    List<String> topic = List.of("hook/slow");
    until("the hook is asked", () -> !client.claimable(topic, 1).isEmpty());
    return client.claim(client.claimable(topic, 1).getFirst().getId(), "slow");
  }

  private void done(ClaimedJob hook) {
    JobResult result = new JobResult().setOutcome(JobOutcome.Done).setMessage("at last");
    client.complete(hook.getJob().getId(), hook.getClaim(), result);
  }

  @Test
  void aBatchWithoutHooksKnowsNothingOfThem() {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: plain, team: t}
        spec: {applications: [plain], capacity: [{maxUnavailable: 100%}]}
        """);
    String rollout = site.rollout("plain1");
    ends(rollout, RolloutState.Succeeded);
    assertThat(told("plain1")).isEmpty();
    isClean(rollout);
  }

  private void until(String what, BooleanSupplier condition) {
    site.until(what, condition, () -> "; told: " + told(""));
  }
}
