package dev.drydock.impact.service.controllers;

import dev.drydock.impact.core.Ask;
import dev.drydock.impact.core.FleetRound.Questions;
import dev.drydock.impact.core.Question;
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
final class Wanted implements Questions {
  /** More of a topic are asked about the next time. */
  static final int GROUPS_MAX = 16;

  private static final long NEVER = 0;

  private final Map<String, List<Ask>> asked;
  private final Set<Set<String>> judged = new HashSet<>();
  private final Map<String, List<Question>> byTopic = new LinkedHashMap<>();

  /**
   * Nothing yet.
   *
   * @param asked what controllers were asked before, by topic
   */
  Wanted(Map<String, List<Ask>> asked) {
    this.asked = asked;
  }

  @Override
  public synchronized void judged(Collection<String> hosts, List<Question> questions) {
    if (!judged.add(Set.copyOf(hosts))) {
      return;
    }
    for (Question question : questions) {
      byTopic.computeIfAbsent(question.controller().topic(), _ -> new ArrayList<>()).add(question);
    }
  }

  /**
   * Takes what is wanted so far: of each topic as much as is asked at once, what is first first.
   */
  synchronized Map<String, List<Question>> take() {
    Map<String, List<Question>> taken = new LinkedHashMap<>();
    byTopic.forEach(
        (topic, questions) ->
            taken.put(topic, first(questions, asked.getOrDefault(topic, List.of()))));
    byTopic.clear();
    return taken;
  }

  private static List<Question> first(List<Question> questions, List<Ask> asks) {
    Map<String, Long> rounds = new HashMap<>();
    for (Ask ask : asks) {
      ask.groups().stream()
          .flatMap(group -> group.instances().stream())
          .forEach(instance -> rounds.merge(instance, ask.round(), Math::max));
    }
    Comparator<Question> longestAgo = Comparator.comparing(question -> last(question, rounds));
    List<Question> inOrder =
        new ArrayList<>(questions.stream().filter(Question::begun).sorted(longestAgo).toList());
    Map<Boolean, List<Question>> others =
        questions.stream()
            .filter(question -> !question.begun())
            .sorted(longestAgo)
            .collect(Collectors.partitioningBy(question -> last(question, rounds) == NEVER));
    Iterator<Question> never = others.getOrDefault(true, List.of()).iterator();
    Iterator<Question> again = others.getOrDefault(false, List.of()).iterator();
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
  private static long last(Question question, Map<String, Long> rounds) {
    return question.group().stream()
        .mapToLong(instance -> rounds.getOrDefault(instance.id(), NEVER))
        .min()
        .orElse(NEVER);
  }
}
