package dev.drydock.server.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which tests hold SQL about rollouts and their batches. A test speaks to the core, to a public
 * surface, or in the words of the test vocabulary; the tables may change without it. SQL is text to
 * the compiler, so sources are searched for it.
 */
final class RolloutSql {
  private static final String TABLES =
      "rollouts|host_upgrades|grants|jobs|checks|batch_hooks|decisions"
          + "|remediations|remediation_steps|canary_gates|cohort_halts"
          + "|overdue_phases|waiting_reasons|wakeups|impounds";

  /** Also where the statement is put together from several literals. */
  private static final Pattern STATEMENT =
      Pattern.compile(
          "\\b(?:INSERT\\s+INTO|UPDATE|DELETE\\s+FROM|TRUNCATE(?:\\s+TABLE)?|FROM|JOIN)"
              + "(?:\\s|\"|\\+)+(?:ONLY\\s+)?("
              + TABLES
              + ")\\b");

  /**
   * A file of tests that may hold such SQL.
   *
   * @param file its path from the checkout
   * @param why why words would not do
   */
  record Holder(String file, String why) {}

  /** No more than ten. */
  static final List<Holder> ALLOWED =
      List.of(
          holder("orchestrator", "orchestrator/testkit/Fleet", "makes rollouts and their hosts"),
          holder("orchestrator", "orchestrator/testkit/Rows", "reads rows as values"),
          holder(
              "orchestrator",
              "orchestrator/testkit/AsIf",
              "changes rollouts, hosts and grants as time, faults and other people do"),
          holder(
              "orchestrator",
              "orchestrator/testkit/WorkAsIf",
              "changes jobs, checks and questions as time, faults and other people do"),
          holder(
              "orchestrator",
              "orchestrator/batch/FullBatch",
              "a batch with something in every column that a snapshot is read of"),
          holder(
              "orchestrator",
              "orchestrator/store/PendingBatchesTest",
              "the query is what is tested: against a plain one, over random rows"),
          holder(
              "impact-analyzer/service",
              "impact/service/Rows",
              "the analyzer may not see the orchestrator, only rows of its grants"),
          holder(
              "auditor",
              "auditor/AuditDutyTest",
              "the auditor may not see the orchestrator, only what it left"),
          holder("server", "server/AuditTest", "falsifies rows, which the auditor is to find"),
          holder(
              "server",
              "server/RolloutRows",
              "falsifies rows for the auditor, and makes up a rollout that no code leads"));

  private RolloutSql() {}

  private static Holder holder(String module, String file, String why) {
    return new Holder(module + "/src/test/java/dev/drydock/" + file + ".java", why);
  }

  /** The files of tests with such SQL, from the checkout, but for what is planted here. */
  static Set<String> files(Path checkout, List<String> modules) {
    Set<String> found = new TreeSet<>();
    for (String module : modules) {
      try (Stream<Path> files = Files.walk(checkout.resolve(module).resolve("src/test/java"))) {
        for (Path file : files.filter(one -> one.toString().endsWith(".java")).toList()) {
          String name = checkout.relativize(file).toString().replace('\\', '/');
          if (!name.contains("/planted/") && !in(Files.readString(file)).isEmpty()) {
            found.add(name);
          }
        }
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return found;
  }

  /** The tables that statements of a source are about. */
  static List<String> in(String source) {
    return STATEMENT.matcher(source).results().map(found -> found.group(1)).toList();
  }
}
