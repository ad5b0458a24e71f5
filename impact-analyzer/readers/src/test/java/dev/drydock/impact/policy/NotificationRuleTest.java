package dev.drydock.impact.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.policy.PolicyParser.Parsed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What policies may say of notifications. */
class NotificationRuleTest {
  private static final String POLICY =
      """
      apiVersion: drydock.dev/v1
      kind: UpgradePolicy
      metadata: {name: search, team: search}
      spec:
        applications: [search]
        capacity: [{maxUnavailable: 1}]
        notify:
          - {events: [Failed, Quarantined], subscription: oncall}
          - {events: [Done], subscription: channel}
      """;

  @Test
  void readsWhichSubscriptionIsToldWhat() {
    Parsed parsed = PolicyParser.parse(POLICY);
    assertThat(parsed.faults()).isEmpty();
    assertThat(parsed.handling().notices())
        .extracting(notice -> notice.subscription() + " " + notice.events())
        .containsExactly("oncall [Failed, Quarantined]", "channel [Done]");
    assertThat(PolicyParser.parse(POLICY.replaceAll("(?s)  notify:.*", "")).handling().notices())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Failed, | Faild,  | spec.notify[0].events[0] 8 did you mean Failed?",
        "[Done]  | [done]  | spec.notify[1].events[0] 9 did you mean Done?",
        "[Done]  | [Lunch] | spec.notify[1].events[0] 9 must be Quarantined, Failed, Overdue, Paused",
        "[Done]  | []      | spec.notify[1].events 9 is an empty list",
        "oncall  | On Call | spec.notify[0].subscription 8 is 'On Call', must be the name of",
        "channel | oncall  | spec.notify[1].subscription 9 subscription oncall is listed twice",
        "events: [Done] | event: [Done] | spec.notify[1].event 9 did you mean events?",
      })
  void namesWhatIsWrong(String before, String after, String fault) {
    Parsed parsed = PolicyParser.parse(POLICY.replace(before, after));
    String[] parts = fault.split(" ", 3);
    assertThat(parsed.faults())
        .anySatisfy(
            found -> {
              assertThat(found.path()).isEqualTo(parts[0]);
              assertThat(found.line()).isEqualTo(Integer.parseInt(parts[1]));
              assertThat(found.message()).contains(parts[2]);
            });
    assertThat(parsed.handling().notices()).isEmpty();
  }
}
