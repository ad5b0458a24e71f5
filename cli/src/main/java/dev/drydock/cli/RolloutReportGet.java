package dev.drydock.cli;

import dev.drydock.api.CveReport;
import dev.drydock.api.RolloutReport;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "report",
    description = "What a rollout changed: packages, kernels, and CVEs closed.",
    mixinStandardHelpOptions = true)
final class RolloutReportGet implements Callable<Integer> {
  /** As the server takes them. */
  private static final long ADVISORIES_BYTES_MAX = 4 << 20;

  /** The server counts the packages of all hosts. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "ID", description = "The rollout.")
  String id = "";

  @Option(
      names = "--advisories",
      paramLabel = "FILE",
      description = "Advisories in OSV JSON: an entry, a list of them, or {\"vulns\": [...]}.")
  @Nullable Path advisories;

  @Option(
      names = "--all",
      description = "Also what did not change, CVEs that concern no host, and every name.")
  boolean all;

  RolloutReportGet(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    TextFile osv = advisories == null ? null : read(advisories);
    try (DrydockClient client = connection.open(PATIENCE)) {
      show(client.rolloutReport(id, all, osv == null ? "" : osv.content()), osv != null);
      return ExitCode.OK;
    } catch (CallException e) {
      throw osv == null ? e : CommandFailure.of(e, osv::place);
    }
  }

  private static TextFile read(Path file) {
    return TextFile.readAll(List.of(file), ADVISORIES_BYTES_MAX, "no report was drawn up")
        .getFirst();
  }

  private void show(RolloutReport report, boolean withAdvisories) {
    if (!output.format.isForPeople()) {
      output.one(report, ReportViews.REPORTS, WireCollections::tree);
      return;
    }
    output.table(List.of(report.getRollout()), TableViews.ROLLOUTS);
    output.say("");
    ReportViews.summary(report).forEach(output::say);
    section(report.getIncomplete(), ReportViews.incomplete(all));
    section(report.getForeignUpdates(), ReportViews.FOREIGN_UPDATES);
    section(report.getKernels(), ReportViews.KERNELS);
    section(ReportViews.paths(report.getPackages()), ReportViews.PACKAGES);
    output.say("");
    output.say(ReportViews.totals(report));
    if (withAdvisories) {
      List<CveReport> shown =
          report.getCves().stream()
              .filter(cve -> all || ReportViews.concernsSomeHost(cve))
              .toList();
      section(shown, ReportViews.CVES);
      output.say("");
      ReportViews.cveSummary(report.getCves()).forEach(output::say);
    }
  }

  /** A table of its own, unless there is nothing in it. */
  private <T> void section(List<T> rows, Table<T> table) {
    if (!rows.isEmpty()) {
      output.say("");
      output.table(rows, table);
    }
  }
}
