package dev.drydock.cli;

import dev.drydock.impact.plan.Infeasible;
import dev.drydock.impact.plan.Plan;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a person reads of a plan; what cannot be planned goes to stderr. */
final class PlanView {
  private static final int SHOWN_MAX = 10;
  private static final Table<Plan.Timeline> APPLICATIONS =
      Table.<Plan.Timeline>of(Plan.Timeline::application)
          .column("APPLICATION", Plan.Timeline::application)
          .column("INSTANCES", t -> Integer.toString(t.instances()))
          .column("BEGINS", t -> TextFormat.duration(t.beginMillis()))
          .column("ENDS", t -> TextFormat.duration(t.endMillis()))
          .column("MOST DOWN", t -> Integer.toString(t.downMost()))
          .column("ALLOWED", t -> t.downAllowed().map(String::valueOf).orElse("-"));

  private final CliEnvironment around;
  private final Plan plan;
  private final Instant begin;
  private final Map<String, Integer> drains;
  private final Map<String, Integer> durations;

  /**
   * A plan and when it begins.
   *
   * @param drains what holds of draining its hosts, in words, with the number of hosts
   * @param durations how long work on a host is reckoned to take, and why, with the number of hosts
   */
  PlanView(
      CliEnvironment around,
      Plan plan,
      Instant begin,
      Map<String, Integer> drains,
      Map<String, Integer> durations) {
    this.around = around;
    this.plan = plan;
    this.begin = begin;
    this.drains = drains;
    this.durations = durations;
  }

  /** Shows it; {@code out} is where it was written, if anywhere. */
  void show(@Nullable Path out) {
    int hosts = plan.steps().stream().mapToInt(step -> step.hosts().size()).sum();
    around
        .out()
        .println(TextFormat.hosts(hosts) + " planned" + (out == null ? "" : "; written to " + out));
    around
        .out()
        .println(
            "takes %s from the first host to the last, until %s"
                .formatted(
                    TextFormat.duration(plan.makespanMillis()),
                    begin.plusMillis(plan.makespanMillis()).truncatedTo(ChronoUnit.SECONDS)));
    around.out().println(bound());
    mostFirst(durations)
        .forEach(
            one ->
                around
                    .out()
                    .println(
                        "work on a host: "
                            + one.getKey()
                            + ": "
                            + TextFormat.hosts(one.getValue())));
    plan.assumed().forEach(rule -> around.out().println("taken to allow: " + rule));
    APPLICATIONS
        .render(plan.applications().stream().limit(SHOWN_MAX).toList(), false)
        .forEach(around.out()::println);
    int more = plan.applications().size() - SHOWN_MAX;
    if (more > 0) {
      around.out().println("and %d more, which end earlier".formatted(more));
    }
    showDrains();
    for (Infeasible never : plan.infeasible()) {
      around
          .err()
          .println(
              "infeasible: %s: %s"
                  .formatted(names(never.hosts()), String.join("; ", never.reasons())));
    }
    byReason()
        .forEach(
            (reason, waiting) ->
                around.err().println("cannot begin: %s: %s".formatted(names(waiting), reason)));
  }

  /** What holds of most hosts first. */
  private void showDrains() {
    mostFirst(drains)
        .forEach(
            one -> around.out().println(one.getKey() + ": " + TextFormat.hosts(one.getValue())));
    int more = drains.size() - SHOWN_MAX;
    if (more > 0) {
      around.out().println("drain: %d more combinations of policies".formatted(more));
    }
  }

  private static Stream<Map.Entry<String, Integer>> mostFirst(Map<String, Integer> counts) {
    return counts.entrySet().stream()
        .sorted(
            Map.Entry.<String, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(SHOWN_MAX);
  }

  /** Thousands of hosts that wait for one thing are told once. */
  private Map<String, List<String>> byReason() {
    Map<String, List<String>> hosts = new LinkedHashMap<>();
    for (Plan.Waiting waiting : plan.waiting()) {
      hosts.computeIfAbsent(anonymous(waiting), _ -> new ArrayList<>()).addAll(waiting.hosts());
    }
    return hosts;
  }

  /** Hosts that wait for one thing say so in the same words but for their names. */
  private static String anonymous(Plan.Waiting waiting) {
    return waiting.hosts().size() == 1
        ? waiting.reason().replace("host " + waiting.hosts().getFirst() + " ", "each host ")
        : waiting.reason();
  }

  /** Of hosts that cannot begin the bound tells nothing. */
  private String bound() {
    String shortest =
        plan.waiting().isEmpty()
            ? String.format(Locale.ROOT, " (this one is %.1f %% longer)", 100 * plan.gap())
            : ", were it not for hosts that cannot begin";
    return "no order of hosts takes less than %s%s: %s"
        .formatted(TextFormat.duration(plan.bound().millis()), shortest, plan.bound().formula());
  }

  private static String names(List<String> hosts) {
    String first = String.join(", ", hosts.subList(0, Math.min(SHOWN_MAX, hosts.size())));
    int more = hosts.size() - SHOWN_MAX;
    return more > 0 ? first + " and " + more + " more" : first;
  }
}
