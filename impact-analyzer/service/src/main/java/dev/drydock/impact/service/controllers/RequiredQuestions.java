package dev.drydock.impact.service.controllers;

import dev.drydock.impact.core.ControllerInquiry;
import dev.drydock.impact.core.ControllerQuestion;
import dev.drydock.impact.core.FleetRound.Questions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What one round of the grantor wants to know, by topic. A request that is judged again in the
 * round is judged under a supposition, and asks nothing. Safe for use by many threads.
 *
 * <p>Asked about first is what batches hold already. Then come in turns one of those that were
 * never asked about, in the order in which the grantor would grant, and one of the others, which
 * were denied or whose approval is over: the one that was asked about longest ago. So neither those
 * that are denied again and again keep the others from being asked about, nor do newcomers keep
 * those that were denied once.
 */
final class RequiredQuestions implements Questions {
  /** More of a topic are asked about the next time. */
  static final int GROUPS_MAX = 16;

  private static final long NEVER = 0;

  private final Map<String, List<ControllerInquiry>> asked;
  private final Set<Set<String>> judged = new HashSet<>();
  private final Map<String, List<ControllerQuestion>> byTopic = new LinkedHashMap<>();

  /**
   * Nothing yet.
   *
   * @param asked what controllers were asked before, by topic
   */
  RequiredQuestions(Map<String, List<ControllerInquiry>> asked) {
    this.asked = asked;
  }

  @Override
  public synchronized void judged(Collection<String> hosts, List<ControllerQuestion> questions) {
    if (!judged.add(Set.copyOf(hosts))) {
      return;
    }
    for (ControllerQuestion controllerQuestion : questions) {
      byTopic
          .computeIfAbsent(controllerQuestion.controller().topic(), _ -> new ArrayList<>())
          .add(controllerQuestion);
    }
  }

  /**
   * Takes what is wanted so far: of each topic as much as is asked at once, what is first first.
   */
  synchronized Map<String, List<ControllerQuestion>> take() {
    Map<String, List<ControllerQuestion>> taken = new LinkedHashMap<>();
    byTopic.forEach(
        (topic, questions) ->
            taken.put(topic, first(questions, asked.getOrDefault(topic, List.of()))));
    byTopic.clear();
    return taken;
  }

  private static List<ControllerQuestion> first(
      List<ControllerQuestion> questions, List<ControllerInquiry> asks) {
    Map<String, Long> rounds = new HashMap<>();
    for (ControllerInquiry controllerInquiry : asks) {
      controllerInquiry.groups().stream()
          .flatMap(group -> group.instances().stream())
          .forEach(instance -> rounds.merge(instance, controllerInquiry.round(), Math::max));
    }
    Comparator<ControllerQuestion> longestAgo =
        Comparator.comparing(controllerQuestion -> last(controllerQuestion, rounds));
    List<ControllerQuestion> inOrder =
        new ArrayList<>(
            questions.stream().filter(ControllerQuestion::begun).sorted(longestAgo).toList());
    Map<Boolean, List<ControllerQuestion>> others =
        questions.stream()
            .filter(controllerQuestion -> !controllerQuestion.begun())
            .sorted(longestAgo)
            .collect(
                Collectors.partitioningBy(
                    controllerQuestion -> last(controllerQuestion, rounds) == NEVER));
    Iterator<ControllerQuestion> never = others.getOrDefault(true, List.of()).iterator();
    Iterator<ControllerQuestion> again = others.getOrDefault(false, List.of()).iterator();
    while (never.hasNext() || again.hasNext()) {
      if (never.hasNext()) {
        inOrder.add(never.next());
      }
      if (again.hasNext()) {
        inOrder.add(again.next());
      }
    }
    return inOrder.stream().limit(GROUPS_MAX).toList();
  }

  /** In which round all of its instances were asked about. */
  private static long last(ControllerQuestion controllerQuestion, Map<String, Long> rounds) {
    return controllerQuestion.group().stream()
        .mapToLong(instance -> rounds.getOrDefault(instance.id(), NEVER))
        .min()
        .orElse(NEVER);
  }
}
