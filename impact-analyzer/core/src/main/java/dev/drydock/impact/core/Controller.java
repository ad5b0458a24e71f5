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
  public Opinion judge(ApplicationState state) {
    Question question = question(state);
    if (question.group().isEmpty()) {
      return Opinion.of(true, "has nothing to approve");
    }
    boolean supposed = state.request().ending().isPresent();
    Opinion opinion = said(question, state.fleet());
    return supposed && opinion.question().isPresent() && !lastSaidNo(question, state.fleet())
        ? Opinion.of(true, "may approve")
        : opinion;
  }

  /** What of the policy's applications is taken and what is down beside it, in order of ids. */
  private Question question(ApplicationState state) {
    Request request = state.request();
    Set<String> applications = Set.copyOf(state.policy().applications());
    List<Instance> group = new ArrayList<>();
    for (String host : request.hosts()) {
      state.fleet().allocatedOn(host).stream()
          .filter(instance -> applications.contains(instance.application()))
          .forEach(group::add);
    }
    List<Instance> down =
        applications.stream()
            .flatMap(application -> state.notUp(application).keySet().stream())
            .sorted(Comparator.comparing(Instance::id))
            .toList();
    group.sort(Comparator.comparing(Instance::id));
    return new Question(this, group, down, state.begun());
  }

  private Opinion said(Question question, Fleet fleet) {
    Set<String> ids = question.groupIds();
    Optional<Ask> ended = latest(question, fleet).filter(ask -> current(question, ask, fleet));
    Optional<Ask> open =
        fleet.outside().asks(topic).stream()
            .filter(ask -> ask.open() && ask.about(ids, question.begun()))
            .findFirst();
    String awaited =
        open.map(ask -> "was asked %d s ago and has not answered yet".formatted(ago(ask, fleet)))
            .orElse("was not asked yet");
    if (ended.isEmpty()) {
      return Opinion.awaits(question, awaited);
    }
    Ask ask = ended.get();
    Set<String> unasked = less(ids, ask.instances());
    if (!unasked.isEmpty()) {
      return Opinion.awaits(question, "was not asked about " + names(unasked));
    }
    return switch (ask.outcome()) {
      case Ask.Open() -> Opinion.awaits(question, awaited);
      case Ask.Silent(String why, Instant again) -> no(question, why, again, fleet);
      case Ask.Answered answer -> answered(question, ask, answer, fleet);
    };
  }

  private Opinion answered(Question question, Ask ask, Ask.Answered answer, Fleet fleet) {
    Set<String> refused = less(question.groupIds(), answer.approved());
    if (!refused.isEmpty()) {
      String why = "%s (%s)".formatted(answer.says(), names(refused));
      return no(question, why, answer.again(), fleet);
    }
    if (fleet.ahead(ask.at()).isPresent()) {
      return Opinion.awaits(question, "was asked in the future, and is asked again");
    }
    if (!fleet.now().isBefore(answer.until())) {
      return Opinion.awaits(
          question, "approved it until " + answer.until() + ", and is asked again");
    }
    Set<String> untold =
        less(
            less(less(question.downIds(), question.groupIds()), ask.presumedDown()),
            answer.approved());
    return untold.isEmpty()
        ? Opinion.until(
            answer.until(),
            "approved it %d s ago, until %s (round %d)"
                .formatted(ago(ask, fleet), answer.until(), ask.round()))
        : Opinion.awaits(question, "was not told that " + names(untold) + " would be down as well");
  }

  /** A no counts until it is time to ask again. */
  private static Opinion no(Question question, String why, Instant again, Fleet fleet) {
    return fleet.now().isBefore(again)
        ? Opinion.of(false, why)
        : Opinion.awaits(question, why + ", and is asked again");
  }

  /** What was last heard about any of the instances; of a batch's, since it holds them. */
  private Optional<Ask> latest(Question question, Fleet fleet) {
    return fleet.outside().asks(topic).stream()
        .filter(ask -> !ask.open() && ask.about(question.groupIds(), question.begun()))
        .findFirst();
  }

  private static boolean current(Question question, Ask ask, Fleet fleet) {
    return !question.begun()
        || Duration.between(ask.at(), fleet.now()).compareTo(BEGUN_AGE_MAX) <= 0;
  }

  private boolean lastSaidNo(Question question, Fleet fleet) {
    return latest(question, fleet)
        .filter(
            ask ->
                !(ask.outcome() instanceof Ask.Answered answer)
                    || answer.approved().stream().noneMatch(question.groupIds()::contains))
        .isPresent();
  }

  private static long ago(Ask ask, Fleet fleet) {
    return Math.max(0, Duration.between(ask.at(), fleet.now()).toSeconds());
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
  public Facts facts() {
    return Facts.controller(topic);
  }

  @Override
  public String toString() {
    return "controller " + topic;
  }
}
