package dev.drydock.server.reference;

import dev.drydock.server.reference.ConsumerMetrics.Metric;
import dev.drydock.server.reference.PolicyFields.Field;
import io.prometheus.metrics.model.snapshots.DataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The generated pages as text. Pure. */
final class Pages {
  private static final String WRITTEN = "Written by `make reference` from ";

  private Pages() {}

  /**
   * What a policy may say.
   *
   * @param example all of it once
   */
  static String policy(List<Field> fields, String example) {
    StringBuilder page =
        new StringBuilder(
            """
            # Policy fields

            %s`policy.schema.json`.

            One YAML document is one policy. `drydock policy lint FILE` names every fault by line;
            `drydock policy apply FILE` puts the next version in force. How policies are written is told in
            [Write a policy](../how-to/write-a-policy.md), and how rules are judged in
            [Impact analysis](../explanation/impact-analysis.md).

            `spec.applications` and `spec.capacity` are needed, and `capacity` needs at least one rule that limits
            how much is down at once. Everything else may be left out. A duration is a number with `s`, `m` or `h`.

            | field | says | takes | without it | example |
            |---|---|---|---|---|
            """
                .formatted(WRITTEN));
    for (Field field : fields) {
      String standard = field.standard().isEmpty() ? "" : "`" + field.standard() + "`";
      page.append(
          row(
              "`" + field.path() + "`",
              field.says(),
              field.takes(),
              standard,
              code(field.example())));
    }
    return page.append("\n## All of them in one policy\n\n```yaml\n")
        .append(example)
        .append("```\n")
        .toString();
  }

  /** What a call may be refused with; each is "STATUS meaning". */
  static String errors(Map<String, String> codes) {
    StringBuilder page =
        new StringBuilder(
            """
            # Error codes

            %sthe sources of the server.

            An error of the API is `{"status", "code", "message", "details": [{"path", "line", "message"}]}`.
            The code is for programs and does not change; the message is for people. `drydock` prints the message,
            and its [exit code](cli.md) follows from the status. FleetLock clients get `{"kind", "value"}` as their
            protocol has it.

            | code | status | meaning |
            |---|---|---|
            """
                .formatted(WRITTEN));
    codes.forEach(
        (code, text) -> {
          String[] parts = text.split(" ", 2);
          page.append(row("`" + code + "`", parts[0], parts[1]));
        });
    return page.toString();
  }

  /**
   * What Prometheus finds.
   *
   * @param consumers by who offers them
   */
  static String metrics(MetricSnapshots server, Map<String, List<Metric>> consumers) {
    StringBuilder page =
        new StringBuilder(
            """
            # Metrics

            %sthe programs' own catalogues.

            `/metrics` on the server's port, with a token of any role. Adapters and host operators offer theirs where
            `DRYDOCK_METRICS_ADDRESS` says. Alert on `drydock_recovery_mode`, `drydock_etcd_full`,
            `drydock_audit_violations_total` and `drydock_audit_gaps_total`.
            """
                .formatted(WRITTEN));
    table(page, "Server", server.stream().map(Pages::metric).toList());
    consumers.forEach((who, metrics) -> table(page, who, metrics));
    return page.toString();
  }

  private static void table(StringBuilder page, String who, List<Metric> metrics) {
    page.append("\n## ").append(who);
    page.append("\n\n| metric | kind | labels | tells |\n|---|---|---|---|\n");
    for (Metric metric : metrics) {
      String labels = metric.labels().stream().map(Pages::code).collect(Collectors.joining(", "));
      page.append(row(code(metric.name()), metric.kind(), labels, metric.help()));
    }
  }

  private static Metric metric(MetricSnapshot metric) {
    String kind =
        metric.getClass().getSimpleName().replace("Snapshot", "").toLowerCase(Locale.ROOT);
    List<String> labels =
        metric.getDataPoints().stream()
            .map(DataPointSnapshot::getLabels)
            .flatMap(found -> found.stream().map(Label::getName))
            .distinct()
            .toList();
    String suffix = kind.equals("counter") ? "_total" : "";
    return new Metric(
        metric.getMetadata().getPrometheusName() + suffix,
        kind,
        labels,
        String.valueOf(metric.getMetadata().getHelp()));
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  private static String row(String... cells) {
    return "| "
        + String.join(" | ", List.of(cells).stream().map(cell -> cell.replace("|", "\\|")).toList())
        + " |\n";
  }
}
