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
final class ObservationReports {
  private final Map<String, TreeMap<Instant, ObservationReport>> reports = new HashMap<>();
  private final Map<String, TreeMap<Instant, ObservationReport>> whole = new HashMap<>();
  private final Map<String, TreeMap<Instant, ObservationReport>> naming = new HashMap<>();
  private final Map<String, ReportIndex> bySource = new HashMap<>();

  ObservationReports(List<ObservationReport> all) {
    for (ObservationReport observationReport : all) {
      if (observationReport.report()) {
        put(reports, observationReport.source(), observationReport);
      }
      if (observationReport.named().isEmpty()) {
        put(whole, observationReport.source(), observationReport);
      }
      observationReport.named().stream()
          .flatMap(names -> names.stream())
          .forEach(name -> put(naming, name, observationReport));
    }
  }

  private static void put(
      Map<String, TreeMap<Instant, ObservationReport>> index,
      String key,
      ObservationReport observationReport) {
    index
        .computeIfAbsent(key, _ -> new TreeMap<>())
        .put(observationReport.receivedAt(), observationReport);
  }

  /** The newest that confirms the state, if any does. */
  Optional<ObservationReport> naming(LoggedInstanceState state, Instant at) {
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
    return newest(reports, source, at).map(ObservationReport::issuedAt).orElse(Instant.MIN);
  }

  /** When an instance was named. */
  SortedSet<Instant> named(String instance) {
    return Optional.ofNullable(naming.get(instance))
        .<SortedSet<Instant>>map(TreeMap::navigableKeySet)
        .orElse(Collections.emptySortedSet());
  }

  /** The newest that names the instance and confirms the state, if it does. */
  Optional<ObservationReport> own(LoggedInstanceState state, Instant at) {
    return newest(naming, state.instance(), at).filter(one -> confirms(one, state));
  }

  /** All that names nobody, and so confirms all that its source has. */
  ReportIndex reports(String source) {
    return bySource.computeIfAbsent(
        source,
        _ ->
            new ReportIndex(
                Optional.ofNullable(whole.get(source))
                    .<Collection<ObservationReport>>map(TreeMap::values)
                    .orElse(List.of())));
  }

  /** The newest of these. */
  Optional<ObservationReport> whole(String source, Instant at) {
    return newest(whole, source, at);
  }

  private static boolean confirms(ObservationReport one, LoggedInstanceState state) {
    return one.source().equals(state.source()) && one.mark() >= state.mark();
  }

  private static Optional<ObservationReport> newest(
      Map<String, TreeMap<Instant, ObservationReport>> index, String key, Instant at) {
    return Optional.ofNullable(index.get(key))
        .map(byTime -> byTime.floorEntry(at))
        .map(Map.Entry::getValue);
  }
}
