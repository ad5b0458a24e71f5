package dev.drydock.auditor.core;

import dev.drydock.auditor.core.Timeline.Turn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * From when to when the instances of an application were allocated to it, and up for sure. Of each
 * instance, from one change of its own to the next:
 *
 * <ol>
 *   <li>Until a full report is newer, its own sighting is the newest, and tells for sure for as
 *       long as every policy of the application takes it.
 *   <li>From then on all full reports confirm it once they are after all work on its host; whether
 *       they are fresh is the same for all instances of their source, and left to who asks.
 * </ol>
 *
 * Property: who is up here is up by {@link KnownApplicationState#up}, if its source is {@link
 * KnownApplicationState#isFresh fresh} and no lock is held. The reverse is not promised.
 */
final class InstanceAvailability {
  private final KnownApplicationState knownApplicationState;
  private final Duration healthAgeMin;
  private final List<Turn<Instant, LoggedInstanceState>> allocated = new ArrayList<>();
  private final List<Turn<Instant, LoggedInstanceState>> up = new ArrayList<>();

  InstanceAvailability(ApplicationLog log, KnownApplicationState knownApplicationState) {
    this.knownApplicationState = knownApplicationState;
    healthAgeMin =
        log.policies().stream()
            .filter(policy -> policy.applications().contains(log.application()))
            .map(PolicyVersion::healthAgeMax)
            .min(Duration::compareTo)
            .orElse(Duration.ZERO);
    for (List<LoggedInstanceState> became : knownApplicationState.histories()) {
      for (int i = 0; i < became.size(); i++) {
        Instant until = i + 1 < became.size() ? became.get(i + 1).at() : Instant.MAX;
        if (knownApplicationState.isAllocated(became.get(i))) {
          follow(became.get(i), until);
        }
      }
    }
  }

  Timeline<Instant, LoggedInstanceState> allocated() {
    return new Timeline<>(allocated);
  }

  Timeline<Instant, LoggedInstanceState> surelyUp() {
    return new Timeline<>(up);
  }

  private void follow(LoggedInstanceState state, Instant until) {
    span(allocated, state.at(), until, state);
    if (!state.health().equals("Healthy") || !state.at().isBefore(until)) {
      return;
    }
    Instant from = state.at();
    for (Instant change : knownApplicationState.changes(state).subSet(from, false, until, false)) {
      unchanged(state, from, change);
      from = change;
    }
    unchanged(state, from, until);
  }

  private void unchanged(LoggedInstanceState state, Instant from, Instant until) {
    KnownApplicationState.Own own = knownApplicationState.own(state, from);
    long effect = knownApplicationState.effectMark(state.host(), from);
    Instant worked = knownApplicationState.lastForeignEnd(state.host(), from);
    ReportIndex reportIndex = knownApplicationState.reports(state.source());
    if (own.mark() >= effect && own.latest().isAfter(worked)) {
      Instant end = first(own.earliest(), own.latest()).plus(healthAgeMin);
      span(up, from, first(first(end, reportIndex.allBelowUntil(own.mark())), until), state);
    }
    Instant begin = reportIndex.allFrom(Math.max(own.mark(), effect), worked);
    span(up, begin.isBefore(from) ? from : begin, until, state);
  }

  private static void span(
      List<Turn<Instant, LoggedInstanceState>> turns,
      Instant from,
      Instant to,
      LoggedInstanceState state) {
    if (from.isBefore(to)) {
      turns.add(new Turn<>(from, state, true));
      if (to.isBefore(Instant.MAX)) {
        turns.add(new Turn<>(to, state, false));
      }
    }
  }

  private static Instant first(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
