package dev.drydock.impact.core;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What others than schedulers and locks said, as of the view: monitoring of gates, and the teams'
 * controllers.
 *
 * @param gates one that is missing was not asked about
 * @param asks what controllers were asked, by topic
 */
public record Outside(Map<Gate, GateReading> gates, Map<String, List<Ask>> asks) {
  /** Nobody said anything. */
  public static final Outside SILENT = new Outside(Map.of(), Map.of());

  public Outside {
    gates = Map.copyOf(gates);
    asks =
        asks.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey,
                    entry ->
                        entry.getValue().stream()
                            .sorted(Comparator.comparing(Ask::round).reversed())
                            .toList()));
  }

  /** Only monitoring. */
  public Outside(Map<Gate, GateReading> gates) {
    this(gates, Map.of());
  }

  /** What the controller of a topic was asked, newest first. */
  List<Ask> asks(String topic) {
    return asks.getOrDefault(topic, List.of());
  }
}
