package dev.drydock.auditor.api;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.AuditExhibit;
import dev.drydock.api.AuditExhibitArray;
import dev.drydock.api.AuditFinding;
import dev.drydock.api.AuditFindingArray;
import dev.drydock.api.AuditReport;
import dev.drydock.api.AuditVerdict;
import dev.drydock.auditor.Auditor;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.FindingDetail;
import dev.drydock.auditor.core.InvariantVerdict;
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

  private static AuditVerdict verdict(InvariantVerdict invariantVerdict) {
    return switch (invariantVerdict) {
      case HELD -> AuditVerdict.Held;
      case VIOLATED -> AuditVerdict.Violated;
      case UNKNOWN -> AuditVerdict.Unknown;
    };
  }

  private static AuditExhibitArray exhibits(List<FindingDetail> exhibits) {
    return new AuditExhibitArray(exhibits.stream().map(AuditRecords::exhibit).toList());
  }

  private static AuditExhibit exhibit(FindingDetail findingDetail) {
    AuditExhibit record =
        new AuditExhibit()
            .setObject(findingDetail.object())
            .setSays(findingDetail.says())
            .setEvidence(new StringArray(findingDetail.evidence()));
    findingDetail.at().ifPresent(at -> record.setAt(at.toEpochMilli()));
    return record;
  }
}
