package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Which sighting was the newest at any moment, of a source and of an instance. */
final class Sightings {
  private final Map<String, TreeMap<Instant, Sighting>> reports = new HashMap<>();
  private final Map<String, TreeMap<Instant, Sighting>> whole = new HashMap<>();
  private final Map<String, TreeMap<Instant, Sighting>> naming = new HashMap<>();
  private final Map<String, Reports> bySource = new HashMap<>();

  Sightings(List<Sighting> all) {
    for (Sighting sighting : all) {
      if (sighting.report()) {
        put(reports, sighting.source(), sighting);
      }
      if (sighting.named().isEmpty()) {
        put(whole, sighting.source(), sighting);
      }
      sighting.named().stream()
          .flatMap(names -> names.stream())
          .forEach(name -> put(naming, name, sighting));
    }
  }

  private static void put(
      Map<String, TreeMap<Instant, Sighting>> index, String key, Sighting sighting) {
    index.computeIfAbsent(key, _ -> new TreeMap<>()).put(sighting.receivedAt(), sighting);
  }

  /** The newest that confirms the state, if any does. */
  Optional<Sighting> naming(InstanceState state, Instant at) {
    return Stream.of(newest(whole, state.source(), at), newest(naming, state.instance(), at))
        .flatMap(Optional::stream)
        .filter(one -> confirms(one, state))
        .max((one, other) -> Long.compare(one.mark(), other.mark()));
  }

  /**
   * When the source had last begun to read what it reported by then; the beginning of time for
   * never.
   */
  Instant heard(String source, Instant at) {
    return newest(reports, source, at).map(Sighting::issuedAt).orElse(Instant.MIN);
  }

  /** When an instance was named. */
  SortedSet<Instant> named(String instance) {
    return Optional.ofNullable(naming.get(instance))
        .<SortedSet<Instant>>map(TreeMap::navigableKeySet)
        .orElse(Collections.emptySortedSet());
  }

  /** The newest that names the instance and confirms the state, if it does. */
  Optional<Sighting> own(InstanceState state, Instant at) {
    return newest(naming, state.instance(), at).filter(one -> confirms(one, state));
  }

  /** All that names nobody, and so confirms all that its source has. */
  Reports reports(String source) {
    return bySource.computeIfAbsent(
        source,
        _ ->
            new Reports(
                Optional.ofNullable(whole.get(source))
                    .<Collection<Sighting>>map(TreeMap::values)
                    .orElse(List.of())));
  }

  /** The newest of these. */
  Optional<Sighting> whole(String source, Instant at) {
    return newest(whole, source, at);
  }

  private static boolean confirms(Sighting one, InstanceState state) {
    return one.source().equals(state.source()) && one.mark() >= state.mark();
  }

  private static Optional<Sighting> newest(
      Map<String, TreeMap<Instant, Sighting>> index, String key, Instant at) {
    return Optional.ofNullable(index.get(key))
        .map(byTime -> byTime.floorEntry(at))
        .map(Map.Entry::getValue);
  }
}
