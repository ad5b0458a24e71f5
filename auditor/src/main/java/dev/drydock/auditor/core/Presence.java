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
 * Property: who is up here is up by {@link Known#up}, if its source is {@link Known#isFresh fresh}
 * and no lock is held. The reverse is not promised.
 */
final class Presence {
  private final Known known;
  private final Duration healthAgeMin;
  private final List<Turn<Instant, InstanceState>> allocated = new ArrayList<>();
  private final List<Turn<Instant, InstanceState>> up = new ArrayList<>();

  Presence(ApplicationLog log, Known known) {
    this.known = known;
    healthAgeMin =
        log.policies().stream()
            .filter(policy -> policy.applications().contains(log.application()))
            .map(PolicyVersion::healthAgeMax)
            .min(Duration::compareTo)
            .orElse(Duration.ZERO);
    for (List<InstanceState> became : known.histories()) {
      for (int i = 0; i < became.size(); i++) {
        Instant until = i + 1 < became.size() ? became.get(i + 1).at() : Instant.MAX;
        if (known.isAllocated(became.get(i))) {
          follow(became.get(i), until);
        }
      }
    }
  }

  Timeline<Instant, InstanceState> allocated() {
    return new Timeline<>(allocated);
  }

  Timeline<Instant, InstanceState> surelyUp() {
    return new Timeline<>(up);
  }

  private void follow(InstanceState state, Instant until) {
    span(allocated, state.at(), until, state);
    if (!state.health().equals("Healthy") || !state.at().isBefore(until)) {
      return;
    }
    Instant from = state.at();
    for (Instant change : known.changes(state).subSet(from, false, until, false)) {
      unchanged(state, from, change);
      from = change;
    }
    unchanged(state, from, until);
  }

  private void unchanged(InstanceState state, Instant from, Instant until) {
    Known.Own own = known.own(state, from);
    long effect = known.effectMark(state.host(), from);
    Instant worked = known.lastForeignEnd(state.host(), from);
    Reports reports = known.reports(state.source());
    if (own.mark() >= effect && own.latest().isAfter(worked)) {
      Instant end = first(own.earliest(), own.latest()).plus(healthAgeMin);
      span(up, from, first(first(end, reports.allBelowUntil(own.mark())), until), state);
    }
    Instant begin = reports.allFrom(Math.max(own.mark(), effect), worked);
    span(up, begin.isBefore(from) ? from : begin, until, state);
  }

  private static void span(
      List<Turn<Instant, InstanceState>> turns, Instant from, Instant to, InstanceState state) {
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
