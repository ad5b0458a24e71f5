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
public record ExternalAnswers(
    Map<Gate, GateReading> gates, Map<String, List<ControllerInquiry>> asks) {
  /** Nobody said anything. */
  public static final ExternalAnswers SILENT = new ExternalAnswers(Map.of(), Map.of());

  public ExternalAnswers {
    gates = Map.copyOf(gates);
    asks =
        asks.entrySet().stream()
            .collect(
                Collectors.toUnmodifiableMap(
                    Map.Entry::getKey,
                    entry ->
                        entry.getValue().stream()
                            .sorted(Comparator.comparing(ControllerInquiry::round).reversed())
                            .toList()));
  }

  /** Only monitoring. */
  public ExternalAnswers(Map<Gate, GateReading> gates) {
    this(gates, Map.of());
  }

  /** What the controller of a topic was asked, newest first. */
  List<ControllerInquiry> asks(String topic) {
    return asks.getOrDefault(topic, List.of());
  }
}
