package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What a team's controller said, and what it counts for: web on four hosts, two of them in a batch.
 */
class ControllerTest {
  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final Controller TEAM = new Controller("approvals", Duration.ofSeconds(10));
  private static final Instant LATER = NOW.plusSeconds(60);

  private final List<ControllerInquiry> asks = new ArrayList<>();
  private final Set<String> sick = new HashSet<>();
  private final Set<String> inBatch = new HashSet<>();
  private final List<Rule> rules =
      new ArrayList<>(List.of(new MaxUnavailable(new Amount.Count(3)), TEAM));

  private AdmissionJudgement judge(Set<String> held, String... hosts) {
    return Judge.judgement(
        fleet(), policies(), new DisruptionRequest(Set.of(hosts), Set.of(), held));
  }

  private Policies policies() {
    Policy policy =
        new Policy(
            "web",
            1,
            "web",
            List.of("web"),
            rules,
            new DesiredInstances.FromScheduler(),
            Duration.ofSeconds(60),
            Duration.ofMinutes(5));
    return new Policies(Map.of("web", policy), Map.of());
  }

  private Fleet fleet() {
    List<FleetHost> hosts = new ArrayList<>();
    List<FleetInstance> instances = new ArrayList<>();
    for (String name : List.of("h1", "h2", "h3", "h4")) {
      hosts.add(new FleetHost(name, "static", false, 1, Map.of(), inBatch.contains(name)));
      Health health = sick.contains("web@" + name) ? Health.UNHEALTHY : Health.HEALTHY;
      instances.add(new FleetInstance("web@" + name, "web", name, "z", 1, health, 1, NOW, false));
    }
    return new Fleet(
        NOW,
        Duration.ofSeconds(30),
        Map.of("static", new SourceReport(1, NOW)),
        hosts,
        instances,
        List.of(),
        new ExternalAnswers(Map.of(), Map.of("approvals", asks)));
  }

  private static Set<String> webOn(String... hosts) {
    return new HashSet<>(Arrays.stream(hosts).map(host -> "web@" + host).toList());
  }

  /** Asked ten seconds ago about one group of these hosts. */
  private void asked(
      ControllerInquiry.Outcome outcome, boolean begun, Set<String> down, String... hosts) {
    List<ControllerInquiry.Group> groups =
        List.of(new ControllerInquiry.Group(webOn(hosts), begun));
    asks.add(new ControllerInquiry(asks.size() + 1, NOW.minusSeconds(10), groups, down, outcome));
  }

  /** Also asked: so many seconds ago, or in the future. */
  private void askedBefore(
      int seconds, ControllerInquiry.Outcome outcome, boolean begun, String... hosts) {
    List<ControllerInquiry.Group> groups =
        List.of(new ControllerInquiry.Group(webOn(hosts), begun));
    asks.add(
        new ControllerInquiry(
            asks.size() + 1, NOW.minusSeconds(seconds), groups, webOn(hosts), outcome));
  }

  @Test
  void anApprovalThatWasAskedForInTheFutureIsNone() {
    inBatch.add("h1");
    askedBefore(-60, approves(LATER, "h1"), true, "h1");
    assertThat(judge(Set.of("h1"), "h1").verdict().granted()).isFalse();
    asks.clear();
    askedBefore(10, approves(LATER, "h1"), true, "h1");
    assertThat(judge(Set.of("h1"), "h1").verdict().granted()).as("of a moment ago").isTrue();
  }

  @Test
  void aBatchThatHasNotBegunIsNotApprovedInTheFutureEither() {
    askedBefore(-60, approves(LATER, "h1"), false, "h1");
    assertThat(judge(Set.of(), "h1").verdict().granted()).isFalse();
  }

  private static ControllerInquiry.Answered approves(Instant until, String... hosts) {
    return new ControllerInquiry.Answered(
        webOn(hosts), "denied it: Busy, not now", until, NOW.minusSeconds(1));
  }

  private static ControllerInquiry.Answered denies(Instant again) {
    return new ControllerInquiry.Answered(Set.of(), "denied it: Busy, not now", LATER, again);
  }

  private void grants(Set<String> held, String... hosts) {
    Verdict verdict = judge(held, hosts).verdict();
    assertThat(verdict.granted()).as(verdict.reason()).isTrue();
  }

  private AdmissionJudgement holds(String reason, Set<String> held, String... hosts) {
    AdmissionJudgement admissionJudgement = judge(held, hosts);
    assertThat(admissionJudgement.verdict().decision()).isEqualTo(Verdict.Decision.WAIT);
    assertThat(admissionJudgement.verdict().reason())
        .isEqualTo("application web: controller approvals (policy web version 1) " + reason);
    return admissionJudgement;
  }

  /** Waits for an answer, and says to which question. */
  private ControllerQuestion awaits(String reason, Set<String> held, String... hosts) {
    AdmissionJudgement admissionJudgement = holds(reason, held, hosts);
    assertThat(admissionJudgement.verdict().awaited()).isTrue();
    assertThat(admissionJudgement.questions()).hasSize(1);
    return admissionJudgement.questions().getFirst();
  }

  private void holdsForGood(String reason, Set<String> held, String... hosts) {
    AdmissionJudgement admissionJudgement = holds(reason, held, hosts);
    assertThat(admissionJudgement.verdict().awaited()).isFalse();
    assertThat(admissionJudgement.questions()).isEmpty();
  }

  @Test
  void whoWasNotAskedHasNotApprovedAndIsToldWhatIsDown() {
    sick.add("web@h4");
    ControllerQuestion controllerQuestion = awaits("was not asked yet", Set.of("h2"), "h1");
    assertThat(controllerQuestion.groupIds()).isEqualTo(webOn("h1"));
    assertThat(controllerQuestion.downIds()).isEqualTo(webOn("h2", "h4"));
    assertThat(controllerQuestion.begun()).isFalse();
    asked(new ControllerInquiry.Open(), false, webOn("h2", "h4"), "h1");
    awaits("was asked 10 s ago and has not answered yet", Set.of("h2"), "h1");
  }

  @Test
  void nobodyIsAskedWhileAnythingElseObjects() {
    rules.add(new MinAvailable(4));
    AdmissionJudgement admissionJudgement = judge(Set.of(), "h1");
    assertThat(admissionJudgement.questions()).isEmpty();
    assertThat(admissionJudgement.verdict().awaited()).isFalse();
  }

  @Test
  void anApprovalCountsUntilItEnds() {
    asked(approves(LATER, "h1"), false, Set.of(), "h1");
    grants(Set.of(), "h1");
    assertThat(judge(Set.of(), "h1").verdict().until()).isEqualTo(Optional.of(LATER));
    asks.clear();
    asked(approves(NOW, "h1"), false, Set.of(), "h1");
    awaits("approved it until " + NOW + ", and is asked again", Set.of(), "h1");
  }

  @Test
  void whatIsDownBesideWhatWasToldIsNotCovered() {
    asked(approves(LATER, "h1"), false, webOn("h3"), "h1");
    grants(Set.of("h3"), "h1");
    grants(Set.of(), "h1"); // Less is fine.
    awaits("was not told that web@h2 would be down as well", Set.of("h2", "h3"), "h1");
    sick.add("web@h4");
    awaits("was not told that web@h4 would be down as well", Set.of("h3"), "h1");
  }

  @Test
  void whatWasApprovedTogetherMayGoTogether() {
    asks.add(
        new ControllerInquiry(
            1,
            NOW.minusSeconds(10),
            List.of(
                new ControllerInquiry.Group(webOn("h1"), false),
                new ControllerInquiry.Group(webOn("h2"), false)),
            Set.of(),
            approves(LATER, "h1", "h2")));
    grants(Set.of("h2"), "h1");
    grants(Set.of("h1"), "h2");
    grants(Set.of(), "h1", "h2");
  }

  @Test
  void anAnswerIsNoneForInstancesItWasNotAskedAbout() {
    asked(approves(LATER, "h1"), false, Set.of(), "h1");
    awaits("was not asked about web@h2", Set.of(), "h1", "h2");
    awaits("was not asked yet", Set.of(), "h2");
  }

  @Test
  void aDenialHoldsUntilItIsTimeToAskAgain() {
    asked(denies(LATER), false, Set.of(), "h1");
    holdsForGood("denied it: Busy, not now (web@h1)", Set.of(), "h1");
    asks.clear();
    asked(denies(NOW), false, Set.of(), "h1");
    awaits("denied it: Busy, not now (web@h1), and is asked again", Set.of(), "h1");
  }

  @Test
  void aLaterAnswerLeavesNothingOfAnEarlierOne() {
    asked(approves(LATER, "h1"), false, Set.of(), "h1");
    asked(denies(LATER), false, Set.of(), "h1");
    holdsForGood("denied it: Busy, not now (web@h1)", Set.of(), "h1");
  }

  @Test
  void silenceIsNoAnswer() {
    asked(new ControllerInquiry.Silent("did not answer in time", LATER), false, Set.of(), "h1");
    holdsForGood("did not answer in time", Set.of(), "h1");
    asks.clear();
    asked(new ControllerInquiry.Silent("did not answer in time", NOW), false, Set.of(), "h1");
    awaits("did not answer in time, and is asked again", Set.of(), "h1");
  }

  @Test
  void aBatchThatHasBegunIsAskedAboutAgain() {
    inBatch.add("h1");
    asked(approves(LATER, "h1"), false, Set.of(), "h1");
    assertThat(awaits("was not asked yet", Set.of(), "h1").begun()).isTrue();
    asked(approves(LATER, "h1"), true, Set.of(), "h1");
    grants(Set.of(), "h1");
    asks.set(
        1,
        new ControllerInquiry(
            2,
            NOW.minusSeconds(31),
            List.of(new ControllerInquiry.Group(webOn("h1"), true)),
            Set.of(),
            approves(LATER, "h1")));
    awaits("was not asked yet", Set.of(), "h1");
  }

  /** Who waits for a budget keeps its place until the controller has said no. */
  @Test
  void supposingThatOthersEndOnlyANoStands() {
    DisruptionRequest then =
        new DisruptionRequest(Set.of("h1"), Set.of(), Set.of()).onceEnded(Set.of("h2"));
    assertThat(Judge.judge(fleet(), policies(), then).granted()).isTrue();
    asked(denies(NOW.minusSeconds(1)), false, Set.of(), "h1");
    assertThat(Judge.judge(fleet(), policies(), then).granted()).isFalse();
  }

  @Test
  void answersHaveEveryInstanceInOneList() {
    Set<String> group = Set.of("a", "b");
    assertThat(fault(group, List.of("a", "b"), List.of(), List.of())).isEmpty();
    assertThat(fault(group, List.of("a"), List.of(), List.of()))
        .contains("answer: instance b is in none of the lists");
    assertThat(fault(group, List.of("a", "b", "c"), List.of(), List.of()))
        .contains("answer: instance c was not asked about");
    assertThat(fault(group, List.of("a", "b"), List.of("b"), List.of()))
        .contains("answer: instance b is listed twice");
    assertThat(fault(group, List.of("a"), List.of("b"), List.of()).orElseThrow())
        .contains("1 of the 2 instances of the group of a");
    assertThat(fault(group, List.of(), List.of("a", "b"), List.of()).orElseThrow())
        .contains("the decision APPROVED contradicts the lists");
  }

  private static Optional<String> fault(
      Set<String> group, List<String> approved, List<String> denied, List<String> waiting) {
    return new ControllerAnswer(ControllerAnswer.Decision.APPROVED, approved, denied, waiting)
        .fault(List.of(group));
  }
}
