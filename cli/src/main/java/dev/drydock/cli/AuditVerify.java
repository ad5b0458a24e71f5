package dev.drydock.cli;

import dev.drydock.api.AuditExhibit;
import dev.drydock.api.AuditFinding;
import dev.drydock.api.AuditReport;
import dev.drydock.api.AuditVerdict;
import dev.drydock.proto.client.DrydockClient;
import dev.drydock.proto.client.WireCollections;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "verify",
    description = "Recomputes the invariants from what was logged of a rollout.",
    mixinStandardHelpOptions = true)
final class AuditVerify implements Callable<Integer> {
  /** The server reads all that was logged. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Table<AuditReport> REPORTS = Table.of(AuditReport::getRollout);

  private static final Table<AuditFinding> FINDINGS =
      Table.<AuditFinding>of(AuditFinding::getInvariant)
          .column("INVARIANT", AuditFinding::getInvariant)
          .column("PROMISE", AuditFinding::getTitle)
          .column("VERDICT", finding -> finding.getVerdict().name())
          .column("JUDGED", finding -> "" + finding.getJudged())
          .column("VIOLATED", finding -> "" + finding.getViolated())
          .column("BREACHED LATER", finding -> "" + finding.getBreached());

  @Mixin final Connection connection;
  @Mixin final Output output;

  @Parameters(paramLabel = "ROLLOUT", description = "The rollout; it may still run.")
  String rollout = "";

  AuditVerify(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    try (DrydockClient client = connection.open(PATIENCE)) {
      AuditReport report = client.audit(rollout);
      if (output.format.isForPeople()) {
        tell(report);
      } else {
        output.one(report, REPORTS, WireCollections::tree);
      }
      return exitCode(report);
    }
  }

  private static int exitCode(AuditReport report) {
    List<AuditVerdict> verdicts =
        report.getFindings().stream().map(AuditFinding::getVerdict).toList();
    if (verdicts.contains(AuditVerdict.Violated)) {
      return ExitCode.VIOLATED;
    }
    boolean held = verdicts.stream().allMatch(verdict -> verdict == AuditVerdict.Held);
    return held && !verdicts.isEmpty() ? ExitCode.OK : ExitCode.UNKNOWN;
  }

  private void tell(AuditReport report) {
    output.say("Rollout %s, by its logs at %s".formatted(rollout, when(report.getAt())));
    output.say("");
    output.table(report.getFindings(), FINDINGS);
    for (AuditFinding finding : report.getFindings()) {
      String name = finding.getInvariant();
      finding.getViolations().forEach(one -> tell(name + " violated: ", one));
      rest(finding.getViolated() - finding.getViolations().size(), name + " violated");
      finding.getBreaches().forEach(one -> tell(name + " breached later: ", one));
      rest(finding.getBreached() - finding.getBreaches().size(), name + " breached later");
      finding.getGaps().forEach(why -> output.say("\n" + name + " unknown: " + why));
    }
  }

  private void tell(String what, AuditExhibit exhibit) {
    @Nullable Long millis = exhibit.getAt();
    String at = millis == null ? "" : " at " + when(millis);
    output.say("\n" + what + exhibit.getObject() + at + ": " + exhibit.getSays());
    exhibit.getEvidence().forEach(row -> output.say("  " + row));
  }

  private void rest(long more, String what) {
    if (more > 0) {
      output.say("\n%s: %d more".formatted(what, more));
    }
  }

  private static Instant when(long millis) {
    return Instant.ofEpochMilli(millis);
  }
}
