package dev.drydock.server.reference;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The metrics in the sources of consumers, which publish them in processes of their own. Pure. */
final class ConsumerMetrics {
  private static final Pattern JAVA =
      Pattern.compile(
          "(Counter|Histogram|Gauge)\\.builder\\(\\)\\s+\\.name\\(\"(\\w+)\"\\)\\s+\\.help\\(\"([^\"]+)\"\\)"
              + "(?:\\s+\\.labelNames\\(([^)]*)\\))?");
  private static final Pattern PYTHON =
      Pattern.compile(
          "= (Counter|Histogram|Gauge)\\(\\s*\"(\\w+)\",\\s*\"([^\"]+)\"(?:,\\s*\\[([^]]*)])?");

  private ConsumerMetrics() {}

  /** One of them, by the name that Prometheus finds. */
  record Metric(String name, String kind, List<String> labels, String help) {}

  static List<Metric> inJava(String source) {
    return JAVA.matcher(source).results().map(ConsumerMetrics::metric).toList();
  }

  static List<Metric> inPython(String source) {
    return PYTHON.matcher(source).results().map(ConsumerMetrics::metric).toList();
  }

  private static Metric metric(MatchResult found) {
    String kind = found.group(1).toLowerCase(Locale.ROOT);
    boolean suffix = kind.equals("counter") && !found.group(2).endsWith("_total");
    List<String> labels = new ArrayList<>();
    if (found.group(4) != null) {
      Pattern.compile("\"(\\w+)\"")
          .matcher(found.group(4))
          .results()
          .forEach(it -> labels.add(it.group(1)));
    }
    return new Metric(found.group(2) + (suffix ? "_total" : ""), kind, labels, found.group(3));
  }
}
