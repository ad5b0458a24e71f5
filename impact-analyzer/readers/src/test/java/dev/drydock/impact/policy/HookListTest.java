package dev.drydock.impact.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HookListTest {
  private static final String POLICY =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: search, team: search-infra}
      spec:
        applications: [search-leaf]
        capacity: [{maxUnavailable: 1}]
        hooks:
          pre:
            - {name: stop-writes, stage: AfterUndeploy, scope: Batch, order: 7}
            - {name: move-leaders, stage: BeforeUndeploy, timeout: 45m, params: {drainRate: 50MB, max: 3, dry: false}}
          post:
            - {name: catch-up, stage: AfterDeploy, timeout: 2h}
            - {name: stop-writes, stage: BeforeDeploy, scope: Batch}
            - {name: warm-caches, stage: AfterDeploy, scope: Host, order: 3}
      """;

  private static List<String> faults(String yaml) {
    return PolicyParser.parse(yaml).faults().stream()
        .map(f -> f.line() + " " + f.path() + " " + f.message())
        .toList();
  }

  @Test
  void eachPostHookHasThePreHookItTakesBack() {
    assertThat(faults(POLICY)).isEmpty();
    assertThat(PolicyParser.parse(POLICY).handling().hooks())
        .containsExactly(
            hook("stop-writes", Stage.AFTER_UNDEPLOY, Scope.BATCH, 30, 7, ""),
            new PolicyHook(
                "move-leaders",
                Stage.BEFORE_UNDEPLOY,
                Scope.INSTANCE,
                Duration.ofMinutes(45),
                0,
                Map.of("drainRate", "50MB", "max", "3", "dry", "false"),
                Optional.empty()),
            hook("catch-up", Stage.AFTER_DEPLOY, Scope.INSTANCE, 120, 0, "move-leaders"),
            hook("stop-writes", Stage.BEFORE_DEPLOY, Scope.BATCH, 30, 7, "stop-writes"),
            hook("warm-caches", Stage.AFTER_DEPLOY, Scope.HOST, 30, 3, ""));
  }

  private static PolicyHook hook(
      String name, Stage stage, Scope scope, int minutes, int order, String of) {
    return new PolicyHook(
        name,
        stage,
        scope,
        Duration.ofMinutes(minutes),
        order,
        Map.of(),
        Optional.of(of).filter(pre -> !pre.isEmpty()));
  }

  @Test
  void aPolicySaysWhatABatchDoesWhenAHostFails() {
    assertThat(PolicyParser.parse(POLICY).handling().onHostFailure())
        .isEqualTo(OnHostFailure.ABORT);
    assertThat(PolicyParser.parse(POLICY + "  onHostFailure: GoOn").handling().onHostFailure())
        .isEqualTo(OnHostFailure.GO_ON);
    assertThat(
            OnHostFailure.strictest(
                List.of(OnHostFailure.GO_ON, OnHostFailure.ASK, OnHostFailure.ABORT)))
        .isEqualTo(OnHostFailure.ASK);
    assertThat(OnHostFailure.strictest(List.of())).isEqualTo(OnHostFailure.ABORT);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          stage: AfterUndeploy  | stage: AfterDeploy       | 9 spec.hooks.pre[0].stage is 'AfterDeploy', must be BeforeUndeploy or AfterUndeploy
          stage: BeforeDeploy   | stage: AfterDeploy       | 13 spec.hooks.post[1].stage is AfterDeploy for each Batch, but pre hook stop-writes, whose effect it takes back, is AfterUndeploy for each Batch: it must be BeforeDeploy for each Batch
          BeforeDeploy, scope: Batch | BeforeDeploy, scope: Host | 13 spec.hooks.post[1].stage is BeforeDeploy for each Host, but pre hook stop-writes
          order: 7              | order: -1                | 9 spec.hooks.pre[0].order is -1, must be a whole number from 0 to 1000
          order: 7              | orders: 7                | 9 spec.hooks.pre[0].orders is an unknown field: did you mean order?
          timeout: 2h           | timeout: 169h            | 12 spec.hooks.post[0].timeout is '169h', must be at most 168h
          timeout: 2h           | timeout: 2               | 12 spec.hooks.post[0].timeout is 2, must be how long it may take in all
          timeout: 2h           | of: move-leader          | 12 spec.hooks.post[0].of names no pre hook of this policy: 'move-leader'
          timeout: 2h           | order: 1                 | 12 spec.hooks.post[0].order is 1, must be that of pre hook move-leaders (0)
          name: move-leaders,   | 'name: Move Leaders,'    | 10 spec.hooks.pre[1].name is 'Move Leaders', must be the name of a hook
          name: move-leaders,   | name: stop-writes,       | 10 spec.hooks.pre[1].name pre hook stop-writes is listed twice: give each a name of its own
          name: move-leaders,   | ''                       | 10 spec.hooks.pre[1].name is missing: must be the name of a hook
          drainRate: 50MB       | 'drainRate: [1]'         | 10 spec.hooks.pre[1].params.drainRate is a list of 1, must be a text of at most 1000 characters
          drainRate: 50MB       | drain rate: 1            | 10 spec.hooks.pre[1].params is a mapping of 3, must be a mapping of at most 50 names (letters
          """)
  void namesFieldLineAndRemedy(String good, String bad, String fault) {
    assertThat(POLICY).contains(good);
    assertThat(faults(POLICY.replace(good, bad))).first().asString().startsWith(fault);
  }

  /** Were one of them taken silently, the other would never be taken back. */
  @Test
  void whatCouldBeTakenBackByAnUnnamedPostHookIsSaid() {
    String two =
        POLICY.replace(
            "    post:\n", "      - {name: pause-jobs, stage: BeforeUndeploy}\n    post:\n");
    assertThat(faults(two))
        .containsExactly(
            "13 spec.hooks.post[0].name could take back each of move-leaders, pause-jobs: say which"
                + " by of");
    assertThat(faults(two.replace("catch-up,", "catch-up, of: pause-jobs,"))).isEmpty();
  }
}
