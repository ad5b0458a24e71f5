package dev.drydock.auditor.api;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.AuditExhibit;
import dev.drydock.api.AuditExhibitArray;
import dev.drydock.api.AuditFinding;
import dev.drydock.api.AuditFindingArray;
import dev.drydock.api.AuditReport;
import dev.drydock.api.AuditVerdict;
import dev.drydock.auditor.Auditor;
import dev.drydock.auditor.core.Exhibit;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.Verdict;
import java.util.List;

/** Findings as records of the wire. */
final class AuditRecords {
  private AuditRecords() {}

  static AuditReport report(Auditor.Report report) {
    return new AuditReport()
        .setRollout(report.rollout())
        .setAt(report.at().toEpochMilli())
        .setFindings(
            new AuditFindingArray(report.findings().stream().map(AuditRecords::finding).toList()));
  }

  private static AuditFinding finding(Finding finding) {
    return new AuditFinding()
        .setInvariant(finding.invariant().name())
        .setTitle(finding.invariant().title())
        .setVerdict(verdict(finding.verdict()))
        .setJudged(finding.judged())
        .setViolated(finding.violated())
        .setViolations(exhibits(finding.violations()))
        .setBreached(finding.breached())
        .setBreaches(exhibits(finding.breaches()))
        .setGaps(new StringArray(finding.gaps()));
  }

  private static AuditVerdict verdict(Verdict verdict) {
    return switch (verdict) {
      case HELD -> AuditVerdict.Held;
      case VIOLATED -> AuditVerdict.Violated;
      case UNKNOWN -> AuditVerdict.Unknown;
    };
  }

  private static AuditExhibitArray exhibits(List<Exhibit> exhibits) {
    return new AuditExhibitArray(exhibits.stream().map(AuditRecords::exhibit).toList());
  }

  private static AuditExhibit exhibit(Exhibit exhibit) {
    AuditExhibit record =
        new AuditExhibit()
            .setObject(exhibit.object())
            .setSays(exhibit.says())
            .setEvidence(new StringArray(exhibit.evidence()));
    exhibit.at().ifPresent(at -> record.setAt(at.toEpochMilli()));
    return record;
  }
}
