package dev.drydock.auditor.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.auditor.core.BudgetRule.MaxDomains;
import dev.drydock.auditor.core.BudgetRule.MaxUnavailable;
import dev.drydock.auditor.core.BudgetRule.MaxZones;
import dev.drydock.auditor.core.BudgetRule.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A rollout over one large application, a batch of one host every ten seconds: its time is that of
 * its log, not the square of it.
 */
final class BudgetCheckScaleTest {
  private static final Instant BEGIN = Instant.parse("2026-11-22T12:00:00Z");
  private static final Duration STALENESS = Duration.ofSeconds(30);
  private static final int HOSTS = 3_000;
  private static final int SECONDS = 10;

  private final List<LoggedInstanceState> instances = new ArrayList<>();
  private final List<ObservationReport> sightings = new ArrayList<>();
  private final List<LoggedHostState> hosts = new ArrayList<>();
  private final List<LockEntry> locks = new ArrayList<>();
  private final List<LoggedAdmission> admissions = new ArrayList<>();

  BudgetCheckScaleTest() {
    for (int n = 0; n < HOSTS; n++) {
      became(n, "Healthy", BEGIN.minusSeconds(3600), 1);
      hosts.add(new LoggedHostState(BEGIN.minusSeconds(3600), host(n), Map.of("rack", rack(n)), 0));
    }
    for (int n = 0; n < HOSTS; n++) {
      Instant granted = BEGIN.plusSeconds((long) n * SECONDS);
      int mark = 100 + n * 10;
      sightings.add(
          new ObservationReport(
              "static",
              mark,
              granted.minusSeconds(2),
              granted.minusSeconds(1),
              true,
              Optional.empty(),
              granted.minusSeconds(2)));
      admissions.add(admission(n, "grant", granted, OptionalLong.of(locks.size() + 1)));
      lock("Granted", n, granted.plusMillis(100));
      admissions.add(admission(n, "confirm check 1", granted.plusSeconds(1), OptionalLong.empty()));
      admissions.add(admission(n, "open check 1", granted.plusSeconds(2), OptionalLong.empty()));
      became(n, "Unhealthy", granted.plusSeconds(4), mark + 1);
      became(n, "Healthy", granted.plusSeconds(7), mark + 2);
      hosts.add(
          new LoggedHostState(granted.plusSeconds(7), host(n), Map.of("rack", rack(n)), mark + 2));
      lock("Ended", n, granted.plusSeconds(8));
    }
  }

  @Test
  @Timeout(30)
  void takesTheTimeOfItsLog() {
    Finding finding = judged();
    assertThat(finding.verdict()).as(finding.toString()).isEqualTo(InvariantVerdict.HELD);
    assertThat(finding.judged()).isEqualTo(3L * HOSTS);
    assertThat(finding.breached()).isZero();
  }

  /** The control: of all that a single one is told. */
  @Test
  @Timeout(30)
  void theOneThatFellOverBesideABatchIsFound() {
    Instant at = BEGIN.plusSeconds((long) HOSTS / 2 * SECONDS).plusSeconds(5);
    became(0, "Unhealthy", at, 1_000_000);
    became(1, "Unhealthy", at.plusSeconds(1), 1_000_000);
    instances.sort(Comparator.comparing(LoggedInstanceState::at));
    Finding finding = judged();
    assertThat(finding.breaches())
        .as(finding.toString())
        .first()
        .extracting(FindingDetail::says)
        .asString()
        .startsWith("2997 of 3000 would be left, 2998 are required by maxUnavailable 2")
        .endsWith("web@h1 on h1 was told to be Unhealthy after g1500 was granted");
    assertThat(finding.violated()).isPositive();
  }

  private static String host(int n) {
    return "h" + n;
  }

  private static String rack(int n) {
    return "rack" + n % 40;
  }

  private void became(int n, String health, Instant at, long mark) {
    instances.add(
        new LoggedInstanceState(
            instances.size(),
            at,
            "web@" + host(n),
            "web",
            host(n),
            "z" + n % 3,
            1,
            health,
            false,
            "static",
            mark,
            at));
  }

  private static LoggedAdmission admission(int n, String what, Instant at, OptionalLong revision) {
    return new LoggedAdmission("g" + n, what, at, revision, List.of(host(n)));
  }

  private void lock(String what, int n, Instant at) {
    locks.add(
        new LockEntry(
            1,
            locks.size() + 1,
            0,
            at,
            what,
            "g" + n,
            "Batch",
            List.of(host(n)),
            "x",
            "",
            Optional.of("r1"),
            Optional.empty()));
  }

  private Finding judged() {
    AuditedRollout auditedRollout =
        new AuditedRollout(
            "r1",
            BEGIN.minusSeconds(60),
            true,
            Optional.empty(),
            List.of(),
            List.of(),
            BEGIN.plusSeconds(86_400));
    BudgetCheck budgetCheck = new BudgetCheck(auditedRollout, STALENESS, () -> {});
    budgetCheck.look(
        new ApplicationLog(
            "web",
            instances,
            sightings,
            hosts,
            locks,
            List.of(
                new PolicyVersion(
                    "p",
                    1,
                    BEGIN.minusSeconds(7200),
                    Set.of("web"),
                    List.of(
                        new MaxUnavailable(new Share(2, false)),
                        new MaxZones(2),
                        new MaxDomains("rack", 2)),
                    Optional.empty(),
                    Duration.ofSeconds(60),
                    Optional.empty(),
                    List.of())),
            admissions,
            BEGIN.minusSeconds(86_400)));
    return budgetCheck.finding();
  }
}
