package dev.drydock.auditor.core;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Which sighting was the newest at any moment, of a source and of an instance. */
final class Sightings {
  private final Map<String, TreeMap<Instant, Sighting>> reports = new HashMap<>();
  private final Map<String, TreeMap<Instant, Sighting>> whole = new HashMap<>();
  private final Map<String, TreeMap<Instant, Sighting>> naming = new HashMap<>();

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
        .filter(one -> one.source().equals(state.source()) && one.mark() >= state.mark())
        .max((one, other) -> Long.compare(one.mark(), other.mark()));
  }

  /**
   * When the source had last begun to read what it reported by then; the beginning of time for
   * never.
   */
  Instant heard(String source, Instant at) {
    return newest(reports, source, at).map(Sighting::issuedAt).orElse(Instant.MIN);
  }

  private static Optional<Sighting> newest(
      Map<String, TreeMap<Instant, Sighting>> index, String key, Instant at) {
    return Optional.ofNullable(index.get(key))
        .map(byTime -> byTime.floorEntry(at))
        .map(Map.Entry::getValue);
  }
}
