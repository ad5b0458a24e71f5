package dev.drydock.impact.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostWorkPolicyTest {
  private static final String POLICY =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: search, team: search-infra}
      spec:
        applications: [search]
        capacity: [{maxUnavailable: 1}]
      """;

  /** Of a policy that says this as well. */
  private static HostWorkPolicy handling(String field) {
    PolicyParser.Parsed parsed = PolicyParser.parse(POLICY + "  " + field);
    assertThat(parsed.faults()).isEmpty();
    return parsed.handling();
  }

  private static LateDrain lateDrain(String field) {
    return PolicyParser.parse(POLICY + "  " + field).policy().orElseThrow().lateDrain();
  }

  private static List<String> faults(String fields) {
    return PolicyParser.parse(POLICY + "  " + fields).faults().stream()
        .map(f -> f.line() + " " + f.path() + " " + f.message())
        .toList();
  }

  @Test
  void whoSaysNothingAndWhoCannotBeReadHandlesAsByDefault() {
    assertThat(handling("")).isEqualTo(HostWorkPolicy.NONE);
    assertThat(PolicyParser.parse(POLICY + "  onHostFailure: [").handling())
        .isEqualTo(HostWorkPolicy.NONE);
  }

  @Test
  void hostsAreUpgradedByTheModesOfTheirPolicyAndByAnyIfItSaysNothing() {
    HostWorkPolicy said = handling("modes: [PackageUpdate]");
    assertThat(List.of(said.allows("PackageUpdate"), said.allows("Reimage")))
        .containsExactly(true, false);
    assertThat(handling("modes: [Reimage, PackageUpdate]").allows("Reimage")).isTrue();
    assertThat(HostWorkPolicy.NONE.allows("Reimage")).isTrue();
  }

  @Test
  void nothingIsInstalledAnewWhereThatIsNoMode() {
    String anew = "remediation: {ladder: [RetryStep, Reimage]}\n  modes: [%s]";
    assertThat(faults(anew.formatted("PackageUpdate")))
        .containsExactly(
            "7 spec.remediation.ladder has Reimage, and spec.modes has not: allow it there, or take"
                + " it off the ladder");
    assertThat(faults(anew.formatted("PackageUpdate, Reimage"))).isEmpty();
  }

  @Test
  void readsHowLongPhasesMayTake() {
    assertThat(handling("timeouts: {update: 30m, recover: 90s}").timeouts())
        .isEqualTo(Map.of("update", Duration.ofMinutes(30), "recover", Duration.ofSeconds(90)));
  }

  @Test
  void readsWhatIsTriedBeforeAQuarantine() {
    Ladder ladder =
        handling("remediation: {ladder: [PowerCycle, RetryStep], then: Quarantine}").ladder();
    assertThat(ladder)
        .isEqualTo(new Ladder(List.of(Ladder.Rung.POWER_CYCLE, Ladder.Rung.RETRY_STEP)));
    assertThat(
            handling("remediation: {ladder: [PowerCycle, RetryStep], approve: [PowerCycle]}")
                .ladder()
                .approve())
        .containsExactly(Ladder.Rung.POWER_CYCLE);
    assertThat(
            handling("remediation: {ladder: [RetryStep, CleanDisk], onUnknown: [CleanDisk]}")
                .ladder()
                .onUnknown())
        .containsExactly(Ladder.Rung.CLEAN_DISK);
  }

  /** The schema knows every rung there is, and lets all of them be listed. */
  @Test
  void aLadderMayHaveEveryRung() {
    List<Ladder.Rung> all = List.of(Ladder.Rung.values());
    String listed = String.join(", ", all.stream().map(Ladder.Rung::word).toList());
    assertThat(handling("remediation: {ladder: [%s]}".formatted(listed)).ladder())
        .isEqualTo(new Ladder(all));
  }

  @Test
  void readsTheChecksAHostHasToPass() {
    assertThat(handling("health: {maxAge: 90s, checks: [index-open, no-swap]}").healthChecks())
        .containsExactly("index-open", "no-swap");
    assertThat(handling("health: {checks: [default, no-swap]}").healthChecks())
        .containsExactly("no-swap");
  }

  @Test
  void saysWhatBecomesOfAHostThatIsNotDrained() {
    assertThat(lateDrain("drain: {onTimeout: Ask, ask: {remind: 5m, expires: 2h}}"))
        .isEqualTo(new LateDrain(LateDrain.Way.ASK, Duration.ofMinutes(5), Duration.ofHours(2)));
    assertThat(lateDrain("drain: {timeout: 1h}")).isEqualTo(LateDrain.UNSAID);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          health: {checks: []}                                   | spec.health.checks is an empty list, must be a list of at least one and at most 20 names
          health: {checks: [No_Swap]}                            | spec.health.checks[0] is 'No_Swap', must be the name of a check
          health: {checks: [no-swap, no-swap]}                   | spec.health.checks[1] no-swap is listed twice
          health: {checks: no-swap}                              | spec.health.checks is 'no-swap', must be a list
          health: {check: [no-swap]}                             | spec.health.check is an unknown field: did you mean checks?
          onHostFailure: Goon                                    | spec.onHostFailure is 'Goon', must be what a batch does when one of its hosts fails: Ask, GoOn or Abort: did you mean GoOn?
          timeouts: {update: 30}                                 | spec.timeouts.update is 30, must be a duration such as 90s, 30m or 2h
          timeouts: {update: 200h}                               | spec.timeouts.update is '200h', must be at most 168h
          timeouts: {upgrade: 30m}                               | spec.timeouts.upgrade is not supported by this version (cordon, health, recover, update can be here)
          timeouts: {}                                           | spec.timeouts is an empty mapping, must be a mapping with cordon, update
          remediation: {ladder: []}                              | spec.remediation.ladder is an empty list, must be a list of at least one
          remediation: {ladder: [Pray]}                          | spec.remediation.ladder[0] is 'Pray', must be RetryStep, RestartService, CleanDisk, PowerCycle, RollBack or Reimage
          remediation: {ladder: [RetryStep, RetryStep]}          | spec.remediation.ladder[1] RetryStep is listed twice: each is tried once
          remediation: {ladder: [RetryStep], approve: [Reimage]} | spec.remediation.approve names Reimage, which is not on the ladder: it is never tried
          remediation: {ladder: [RetryStep], approve: []}        | spec.remediation.approve is an empty list, must be a list of at least one
          remediation: {ladder: [RetryStep], onUnknown: [Reimage]} | spec.remediation.onUnknown names Reimage, which is not on the ladder: it is never tried
          remediation: {then: Quarantine}                        | spec.remediation.ladder is missing: must be a list of
          remediation: {ladder: [RetryStep], then: Ignore}       | spec.remediation.then is 'Ignore', must be Quarantine
          drain: {onTimeout: Asking}                             | spec.drain.onTimeout is 'Asking', must be what becomes of a host
          drain: {onTimeout: Requeue, ask: {remind: 5m}}         | spec.drain.ask says how people are asked, and nobody is
          drain: {onTimeout: Ask, ask: {remind: 2h}}             | spec.drain.ask.remind is '2h', must be shorter than expires (1h)
          drain: {onTimeout: Ask, ask: {expires: 169h}}          | spec.drain.ask.expires is '169h', must be at most 168h
          drain: {onTimeout: Ask, ask: {expires: 90}}            | spec.drain.ask.expires is 90, must be how long the question waits
          drain: {ontimeout: Ask}                                | spec.drain.ontimeout is an unknown field: did you mean onTimeout?
          modes: []                                              | spec.modes is an empty list, must be a list of PackageUpdate, Reimage or both
          modes: Reimage                                         | spec.modes is 'Reimage', must be a list
          modes: [Reimage, Reinstall]                            | spec.modes[1] is 'Reinstall', must be PackageUpdate or Reimage
          modes: [Reimage, Reimage]                              | spec.modes[1] Reimage is listed twice
          mode: [Reimage]                                        | spec.mode is an unknown field: did you mean modes?
          """)
  void namesFieldLineAndRemedy(String field, String fault) {
    assertThat(faults(field)).singleElement().asString().startsWith("7 " + fault);
  }
}
