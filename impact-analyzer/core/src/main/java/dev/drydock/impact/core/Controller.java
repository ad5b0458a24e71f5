package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A program of the team that has to approve what goes down of the applications of its policy. It is
 * asked beside the grantor; here counts what it last said of these very instances.
 *
 * <p>Properties: it can only tighten; whatever is not an approval for at least these instances,
 * given at least these others down, holds; of an answer that is followed by a later one about one
 * of the instances nothing is left. An approved set may go down together, so what was approved with
 * the instances may be down by now.
 *
 * @param topic under which its questions stand on the job board
 * @param timeout for how long a question stands there
 */
public record Controller(String topic, Duration timeout) implements Rule {
  /** Holds for policies that do not say. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Two of them fit well into the time a check may take. */
  public static final Duration TIMEOUT_MAX = Duration.ofSeconds(60);

  /** A batch is opened only by an approval that was asked for no longer ago. */
  static final Duration BEGUN_AGE_MAX = Duration.ofSeconds(30);

  @Override
  public RuleResult judge(ApplicationState state) {
    ControllerQuestion controllerQuestion = question(state);
    if (controllerQuestion.group().isEmpty()) {
      return RuleResult.of(true, "has nothing to approve");
    }
    boolean supposed = state.request().ending().isPresent();
    RuleResult ruleResult = said(controllerQuestion, state.fleet());
    return supposed
            && ruleResult.question().isPresent()
            && !lastSaidNo(controllerQuestion, state.fleet())
        ? RuleResult.of(true, "may approve")
        : ruleResult;
  }

  /** What of the policy's applications is taken and what is down beside it, in order of ids. */
  private ControllerQuestion question(ApplicationState state) {
    DisruptionRequest disruptionRequest = state.request();
    Set<String> applications = Set.copyOf(state.policy().applications());
    List<FleetInstance> group = new ArrayList<>();
    for (String host : disruptionRequest.hosts()) {
      state.fleet().allocatedOn(host).stream()
          .filter(instance -> applications.contains(instance.application()))
          .forEach(group::add);
    }
    List<FleetInstance> down =
        applications.stream()
            .flatMap(application -> state.notUp(application).keySet().stream())
            .sorted(Comparator.comparing(FleetInstance::id))
            .toList();
    group.sort(Comparator.comparing(FleetInstance::id));
    return new ControllerQuestion(this, group, down, state.begun());
  }

  private RuleResult said(ControllerQuestion controllerQuestion, Fleet fleet) {
    Set<String> ids = controllerQuestion.groupIds();
    Optional<ControllerInquiry> ended =
        latest(controllerQuestion, fleet)
            .filter(controllerInquiry -> current(controllerQuestion, controllerInquiry, fleet));
    Optional<ControllerInquiry> open =
        fleet.outside().asks(topic).stream()
            .filter(
                controllerInquiry ->
                    controllerInquiry.open()
                        && controllerInquiry.about(ids, controllerQuestion.begun()))
            .findFirst();
    String awaited =
        open.map(
                controllerInquiry ->
                    "was asked %d s ago and has not answered yet"
                        .formatted(ago(controllerInquiry, fleet)))
            .orElse("was not asked yet");
    if (ended.isEmpty()) {
      return RuleResult.awaits(controllerQuestion, awaited);
    }
    ControllerInquiry controllerInquiry = ended.get();
    Set<String> unasked = less(ids, controllerInquiry.instances());
    if (!unasked.isEmpty()) {
      return RuleResult.awaits(controllerQuestion, "was not asked about " + names(unasked));
    }
    return switch (controllerInquiry.outcome()) {
      case ControllerInquiry.Open() -> RuleResult.awaits(controllerQuestion, awaited);
      case ControllerInquiry.Silent(String why, Instant again) ->
          no(controllerQuestion, why, again, fleet);
      case ControllerInquiry.Answered answer ->
          answered(controllerQuestion, controllerInquiry, answer, fleet);
    };
  }

  private RuleResult answered(
      ControllerQuestion controllerQuestion,
      ControllerInquiry controllerInquiry,
      ControllerInquiry.Answered answer,
      Fleet fleet) {
    Set<String> refused = less(controllerQuestion.groupIds(), answer.approved());
    if (!refused.isEmpty()) {
      String why = "%s (%s)".formatted(answer.says(), names(refused));
      return no(controllerQuestion, why, answer.again(), fleet);
    }
    if (fleet.ahead(controllerInquiry.at()).isPresent()) {
      return RuleResult.awaits(controllerQuestion, "was asked in the future, and is asked again");
    }
    if (!fleet.now().isBefore(answer.until())) {
      return RuleResult.awaits(
          controllerQuestion, "approved it until " + answer.until() + ", and is asked again");
    }
    Set<String> untold =
        less(
            less(
                less(controllerQuestion.downIds(), controllerQuestion.groupIds()),
                controllerInquiry.presumedDown()),
            answer.approved());
    return untold.isEmpty()
        ? RuleResult.until(
            answer.until(),
            "approved it %d s ago, until %s (round %d)"
                .formatted(
                    ago(controllerInquiry, fleet), answer.until(), controllerInquiry.round()))
        : RuleResult.awaits(
            controllerQuestion, "was not told that " + names(untold) + " would be down as well");
  }

  /** A no counts until it is time to ask again. */
  private static RuleResult no(
      ControllerQuestion controllerQuestion, String why, Instant again, Fleet fleet) {
    return fleet.now().isBefore(again)
        ? RuleResult.of(false, why)
        : RuleResult.awaits(controllerQuestion, why + ", and is asked again");
  }

  /** What was last heard about any of the instances; of a batch's, since it holds them. */
  private Optional<ControllerInquiry> latest(ControllerQuestion controllerQuestion, Fleet fleet) {
    return fleet.outside().asks(topic).stream()
        .filter(
            controllerInquiry ->
                !controllerInquiry.open()
                    && controllerInquiry.about(
                        controllerQuestion.groupIds(), controllerQuestion.begun()))
        .findFirst();
  }

  private static boolean current(
      ControllerQuestion controllerQuestion, ControllerInquiry controllerInquiry, Fleet fleet) {
    return !controllerQuestion.begun()
        || Duration.between(controllerInquiry.at(), fleet.now()).compareTo(BEGUN_AGE_MAX) <= 0;
  }

  private boolean lastSaidNo(ControllerQuestion controllerQuestion, Fleet fleet) {
    return latest(controllerQuestion, fleet)
        .filter(
            controllerInquiry ->
                !(controllerInquiry.outcome() instanceof ControllerInquiry.Answered answer)
                    || answer.approved().stream()
                        .noneMatch(controllerQuestion.groupIds()::contains))
        .isPresent();
  }

  private static long ago(ControllerInquiry controllerInquiry, Fleet fleet) {
    return Math.max(0, Duration.between(controllerInquiry.at(), fleet.now()).toSeconds());
  }

  private static Set<String> less(Collection<String> these, Collection<String> those) {
    Set<String> left = new TreeSet<>(these);
    left.removeAll(those);
    return left;
  }

  private static String names(Set<String> ids) {
    int more = ids.size() - 3;
    return ids.stream().limit(3).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** It may change its mind. */
  @Override
  public Optional<String> never(ApplicationState state) {
    return Optional.empty();
  }

  @Override
  public Lasts lasts() {
    return Lasts.UNTIL_OTHERS_ACT;
  }

  @Override
  public RuleInputs facts() {
    return RuleInputs.controller(topic);
  }

  @Override
  public String toString() {
    return "controller " + topic;
  }
}
