package dev.drydock.impact.service.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Controller;
import dev.drydock.impact.core.ControllerInquiry;
import dev.drydock.impact.core.ControllerQuestion;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.Health;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which groups a controller is asked about when it cannot be asked about all at once. */
class RequiredQuestionsTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final Controller CONTROLLER =
      new Controller("web-approvals", Duration.ofSeconds(5));

  private final List<ControllerInquiry> asked = new ArrayList<>();

  /** All are denied, and wait to be asked about again before the controller has answered. */
  @Test
  void everyGroupIsAskedAboutHoweverManyAreDeniedAgainAndAgain() {
    Set<String> seen = new HashSet<>();
    for (int round = 0; round < 8; round++) {
      seen.addAll(ask(hosts(1, 60)));
    }
    assertThat(seen).containsAll(hosts(1, 60));
  }

  @Test
  void aDeniedGroupIsAskedAboutAgainHoweverManyNewOnesCome() {
    ask(List.of("denied"));
    for (int round = 0; round < 3; round++) {
      List<String> requiredQuestions = new ArrayList<>(hosts(round * 100, 50));
      requiredQuestions.add("denied");
      assertThat(ask(requiredQuestions)).as("round %d", round).contains("denied").hasSize(16);
    }
  }

  @Test
  void newOnesAreAskedAboutInTheOrderOfGrantingAndOthersByWhoWasAskedAboutLongestAgo() {
    ask(List.of("h3"));
    ask(List.of("h1", "h2"));
    assertThat(ask(List.of("h1", "h2", "h3", "n2", "n1")))
        .containsExactly("n2", "h3", "n1", "h1", "h2");
  }

  @Test
  void whatABatchHoldsAlreadyIsAskedAboutFirst() {
    RequiredQuestions requiredQuestions = wanted(hosts(1, 60));
    requiredQuestions.judged(Set.of("held"), List.of(question("held", true)));
    assertThat(taken(requiredQuestions)).startsWith("held").hasSize(16);
  }

  /** One question about what is wanted, as far as there is room; it is remembered. */
  private List<String> ask(List<String> hosts) {
    List<String> taken = taken(wanted(hosts));
    List<ControllerInquiry.Group> groups =
        taken.stream()
            .map(host -> new ControllerInquiry.Group(Set.of("web@" + host), false))
            .toList();
    ControllerInquiry.Answered denied =
        new ControllerInquiry.Answered(Set.of(), "denied it", NOW, NOW);
    asked.addFirst(new ControllerInquiry(asked.size() + 1, NOW, groups, Set.of(), denied));
    return taken;
  }

  private RequiredQuestions wanted(List<String> hosts) {
    RequiredQuestions requiredQuestions = new RequiredQuestions(Map.of(CONTROLLER.topic(), asked));
    hosts.forEach(host -> requiredQuestions.judged(Set.of(host), List.of(question(host, false))));
    return requiredQuestions;
  }

  private static List<String> taken(RequiredQuestions requiredQuestions) {
    return requiredQuestions.take().getOrDefault(CONTROLLER.topic(), List.of()).stream()
        .map(question -> question.group().getFirst().host())
        .toList();
  }

  private static ControllerQuestion question(String host, boolean begun) {
    FleetInstance fleetInstance =
        new FleetInstance("web@" + host, "web", host, "z", 1, Health.HEALTHY, 1, NOW, false);
    return new ControllerQuestion(CONTROLLER, List.of(fleetInstance), List.of(), begun);
  }

  private static List<String> hosts(int first, int count) {
    return IntStream.range(first, first + count).mapToObj(n -> "h" + n).toList();
  }
}
