package dev.drydock.impact.service.controllers;

import dev.drydock.impact.core.FleetRound.Questions;
import dev.drydock.impact.core.Question;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What one round of the grantor wants to know, by topic and in the order in which it would grant. A
 * request that is judged again in the round is judged under a supposition, and asks nothing. Safe
 * for use by many threads.
 */
final class Wanted implements Questions {
  /** More of a topic are asked about the next time. */
  private static final int GROUPS_MAX = 16;

  private final Set<Set<String>> judged = new HashSet<>();
  private final Map<String, List<Question>> byTopic = new LinkedHashMap<>();

  @Override
  public synchronized void judged(Collection<String> hosts, List<Question> questions) {
    if (!judged.add(Set.copyOf(hosts))) {
      return;
    }
    for (Question question : questions) {
      List<Question> wanted =
          byTopic.computeIfAbsent(question.controller().topic(), _ -> new ArrayList<>());
      if (wanted.size() < GROUPS_MAX) {
        wanted.add(question);
      }
    }
  }

  /** Takes what is wanted so far. */
  synchronized Map<String, List<Question>> take() {
    Map<String, List<Question>> taken = new LinkedHashMap<>(byTopic);
    byTopic.clear();
    return taken;
  }
}
