package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.LateDrain.Way;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds of draining a host where several teams have a say, and who said it. */
class DrainTermsTest {
  private final Map<String, Policy> policies = new HashMap<>();

  private void policy(String name, Duration timeout, LateDrain late) {
    List<Rule> rules = List.of(new MinAvailable(0));
    policies.put(
        name,
        new Policy(
            name + "-policy",
            1,
            "team",
            List.of(name),
            rules,
            new DesiredInstances.FromScheduler(),
            Policy.DEFAULT_HEALTH_AGE_MAX,
            timeout,
            late,
            false,
            Optional.empty()));
  }

  private void policy(String name, int seconds, Way way) {
    LateDrain late = new LateDrain(way, Duration.ofMinutes(1), Duration.ofHours(1));
    policy(name, Duration.ofSeconds(seconds), late);
  }

  private DrainTerms on(String... applications) {
    return new Policies(policies, Map.of()).drain(Arrays.asList(applications));
  }

  @ParameterizedTest
  @CsvSource({
    "FORCE, REVERT, REVERT",
    "FORCE, REQUEUE, REQUEUE",
    "REVERT, REQUEUE, REQUEUE",
    "REQUEUE, ASK, ASK",
    "FORCE, ASK, ASK",
    "ASK, QUARANTINE, QUARANTINE",
    "FORCE, FORCE, FORCE",
  })
  void theMostCarefulWayHolds(Way one, Way other, Way holds) {
    policy("a", 60, one);
    policy("b", 60, other);
    assertThat(on("a", "b").late().way()).isEqualTo(holds);
    assertThat(on("b", "a").late().way()).isEqualTo(holds);
    assertThat(on("b", "a").lateOf())
        .isEqualTo(
            one == other
                ? List.of("a-policy", "b-policy")
                : List.of(holds == one ? "a-policy" : "b-policy"));
  }

  @Test
  void ofThoseWhoAskTheShortestTimesHold() {
    Duration hour = Duration.ofHours(1);
    policy("a", hour, new LateDrain(Way.ASK, Duration.ofMinutes(1), Duration.ofHours(2)));
    policy("b", hour, new LateDrain(Way.FORCE, Duration.ofSeconds(1), Duration.ofMinutes(2)));
    policy("c", hour, new LateDrain(Way.ASK, Duration.ofMinutes(5), hour));
    assertThat(on("a", "b", "c").late())
        .isEqualTo(new LateDrain(Way.ASK, Duration.ofMinutes(1), hour));
  }

  @Test
  void theLongestTimeoutHoldsWhoeverSaysWhatComesThen() {
    policy("search", 4, Way.ASK);
    policy("web", 300, Way.FORCE);
    assertThat(on("search", "web").says())
        .isEqualTo("drain: up to 5m (policy web-policy), then Ask (policy search-policy)");
    assertThat(on("web", "search")).isEqualTo(on("search", "web"));
  }

  /** The control: where nobody else has a say, both are of the policy itself. */
  @Test
  void aPolicyThatIsAloneHoldsAsItIs() {
    policy("search", 4, Way.ASK);
    policy("web", 300, Way.FORCE);
    assertThat(on("search").says())
        .isEqualTo("drain: up to 4s (policy search-policy), then Ask (policy search-policy)");
  }

  @Test
  void policiesThatSayTheSameAreAllNamedUpToThree() {
    for (String name : List.of("e", "d", "c", "b", "a")) {
      policy(name, 60, Way.REQUEUE);
    }
    assertThat(on("b", "a").says())
        .isEqualTo(
            "drain: up to 1m (policies a-policy, b-policy), then Requeue (policies a-policy, b-policy)");
    assertThat(on("e", "d", "c", "b", "a").says())
        .startsWith("drain: up to 1m (policies a-policy, b-policy, c-policy, 2 more), then");
  }

  @Test
  void whereNobodySaysAnythingTheDefaultsHold() {
    assertThat(on()).isEqualTo(DrainTerms.UNSAID);
    assertThat(on("unheard-of")).isEqualTo(DrainTerms.UNSAID);
    assertThat(on().says())
        .isEqualTo("drain: up to 5m (the default), then brought back (nobody says onTimeout)");
  }

  @Test
  void whoDoesNotSayWhatComesThenHasNotAgreedToForce() {
    policy("eager", 600, Way.FORCE);
    policy("quiet", Duration.ofMinutes(1), LateDrain.UNSAID);
    assertThat(on("eager", "quiet").says())
        .isEqualTo(
            "drain: up to 10m (policy eager-policy), then brought back (policy quiet-policy without"
                + " onTimeout)");
    assertThat(on("eager", "unheard-of").lateOf()).isEmpty();
  }
}
