package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.auditor.core.Finding;
import dev.drydock.auditor.core.InvariantVerdict;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.orchestrator.testkit.SimulatedConsumers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * PostgreSQL is put back in the middle of a rollout to what it was some grants ago. Of its hosts
 * one had been under way and has ended since, one was granted and has ended since, and two are
 * under way that it knows nothing of.
 */
@Tag("stack")
@Timeout(600)
class RestoreTest {
  private IsolatedInstallation isolatedInstallation = new IsolatedInstallation(false);

  /** The number of the last event there was before the rows were put back. */
  private long lastEvent;

  /** A rollout after it. */
  private String next = "";

  /** The batch of a4, which is under way then. */
  private String batch = "";

  /** What becomes of etcd when the rows are put back. */
  private enum Etcd {
    STAYS,
    /** It is put back to a later moment than they are: a host that was free is locked again. */
    YOUNGER,
    /** It is put back to an earlier moment, when no host was locked. */
    OLDER
  }

  @AfterEach
  void close() {
    isolatedInstallation.close();
  }

  @Test
  void isNoticedAndNoHostIsUpdatedTwice() {
    String rollout = restored(Etcd.STAYS);
    staysWithItsBatchWhileOthersWait(rollout);
    everyHostIsReadBack(rollout, "PostgreSQL");
    areRecovered(rollout, "a1", "a3", "a4");
    nobodyIsAccused(rollout);
  }

  @Test
  @Tag("full")
  void isNoticedWhenEtcdWasPutBackAsWell() {
    String rollout = restored(Etcd.YOUNGER);
    everyHostIsReadBack(rollout, "PostgreSQL");
    areRecovered(rollout, "a1", "a3", "a4");
    nobodyIsAccused(rollout);
  }

  /** What neither store knows to be under way is read, and not recovered. */
  @Test
  @Tag("full")
  void isNoticedWhenEtcdWasPutBackFurther() {
    String rollout = restored(Etcd.OLDER);
    everyHostIsReadBack(rollout, "etcd");
    assertThat(isolatedInstallation.done("a1"))
        .as("it is locked again and goes back, as rows tell of no update there")
        .containsSubsequence("Update", "Recover", "Recover", "Verify");
    for (String host : new String[] {"a3", "a4"}) {
      assertThat(isolatedInstallation.host(rollout, host).getState())
          .isEqualTo(HostUpgradeState.Skipped);
      assertThat(isolatedInstallation.done(host)).as(host).doesNotContain("Recover");
    }
  }

  private void staysWithItsBatchWhileOthersWait(String rollout) {
    isolatedInstallation.world().holdBack(JobStep.Health, "a4"::equals);
    isolatedInstallation.queue("t1", "a4");
    isolatedInstallation.until(
        "the hosts were read back", () -> events("RecoveryEnded").equals("1"));
    assertThat(isolatedInstallation.locks().lockOn("a4").map(LockRecord::id)).contains(batch);
    isolatedInstallation.world().letGo(JobStep.Health);
    isolatedInstallation.ended(rollout);
    isolatedInstallation.until(
        "who waited has its turn",
        () ->
            isolatedInstallation
                .locks()
                .lockOn("a4")
                .map(LockRecord::id)
                .equals(Optional.of("t1")));
    isolatedInstallation.locks().desk().leave("t1", "kernel-team", "done");
  }

  private void areRecovered(String rollout, String... hosts) {
    for (String host : hosts) {
      assertThat(isolatedInstallation.host(rollout, host).getState())
          .as(reasons(rollout))
          .isEqualTo(HostUpgradeState.Upgraded);
      assertThat(isolatedInstallation.done(host))
          .as(host)
          .containsSubsequence("Update", "Verify", "Health", "Recover");
    }
  }

  private void everyHostIsReadBack(String rollout, String behind) {
    assertThat(
            isolatedInstallation.ended(rollout).getUpgraded()
                + isolatedInstallation.ended(rollout).getSkipped())
        .as(reasons(rollout))
        .isEqualTo(4);
    for (String host : new String[] {"a1", "a2", "a3", "a4"}) {
      assertThat(isolatedInstallation.updates(host)).as(host).isEqualTo(1);
      assertThat(isolatedInstallation.done(host)).as("%s was read back", host).contains("Verify");
      isolatedInstallation.until(
          host + " is free", () -> isolatedInstallation.locks().lockOn(host).isEmpty());
    }
    assertThat(isolatedInstallation.host(rollout, "a2").getState())
        .isEqualTo(HostUpgradeState.Skipped);
    assertThat(contradictory()).isFalse();
    assertThat(events("RecoveryStarted")).isEqualTo("1");
    assertThat(events("RecoveryEnded")).isEqualTo("1");
    String started = "SELECT number FROM events WHERE kind = 'RecoveryStarted'";
    assertThat(Long.parseLong(isolatedInstallation.fleet().value(started)))
        .as("who reads on from the last event of before misses nothing")
        .isGreaterThan(lastEvent);
    assertThat(isolatedInstallation.fleet().value("SELECT behind FROM recoveries"))
        .isEqualTo(behind);
    assertThat(isolatedInstallation.fleet().value("SELECT epoch FROM store_beats")).isEqualTo("2");
    assertThat(isolatedInstallation.locks().time().now().epoch()).isEqualTo(2);
    next = isolatedInstallation.submit("b1");
    assertThat(isolatedInstallation.ended(next).getUpgraded())
        .as("everything goes on")
        .isEqualTo(1);
  }

  /** Rows and history tell of a1 as of a host whose hold ended and which was worked on after it. */
  private void nobodyIsAccused(String rollout) {
    isolatedInstallation.until("the end of the last hold is written", () -> ends("b1") > 0);
    assertThat(audit(rollout, next))
        .isNotEmpty()
        .allSatisfy(found -> assertThat(found.violations()).as(found.toString()).isEmpty());
    assertThat(audit(rollout))
        .extracting(Finding::verdict)
        .as("not all that was done is told")
        .containsOnly(InvariantVerdict.UNKNOWN);
  }

  private String reasons(String rollout) {
    return Stream.of("a1", "a2", "a3", "a4")
        .map(host -> isolatedInstallation.host(rollout, host))
        .map(host -> host.getHost() + " " + host.getState() + ": " + host.getReason())
        .collect(Collectors.joining("; "));
  }

  /** What would pause a rollout. */
  private List<Finding> audit(String... rollouts) {
    return Stream.of(rollouts)
        .flatMap(rollout -> isolatedInstallation.audit(rollout).stream())
        .filter(found -> found.invariant().pauses())
        .toList();
  }

  private long ends(String host) {
    return Long.parseLong(
        isolatedInstallation
            .fleet()
            .value(
                "SELECT count(*) FROM lock_history WHERE what = 'Ended' AND hosts = '{%s}'"
                    .formatted(host)));
  }

  /** The control: where nobody compares the stores, they tell of different grants by one id. */
  @Test
  @Tag("full")
  void givesTheIdOfAGrantToAnotherWhereNobodyCompares() {
    isolatedInstallation.close();
    isolatedInstallation = new IsolatedInstallation(true);
    restored(Etcd.STAYS);
    isolatedInstallation.until("one id stands for two grants", this::contradictory);
  }

  private boolean contradictory() {
    return isolatedInstallation.locks().time().committed().stream()
        .anyMatch(
            grant ->
                isolatedInstallation.fleet().rows.batches().stream()
                    .filter(batch -> batch.id().equals(grant.grantId()))
                    .anyMatch(batch -> !batch.hosts().equals(grant.hosts())));
  }

  /** Four hosts, the first a canary; answers their rollout. The rows are put back. */
  private String restored(Etcd etcd) {
    SimulatedConsumers simulatedConsumers = isolatedInstallation.start().holdBack(JobStep.Update);
    Optional<Path> holds = Optional.empty();
    if (etcd == Etcd.OLDER) {
      isolatedInstallation.until("etcd has a beat", () -> acknowledged() > 0);
      holds = Optional.of(isolatedInstallation.etcd.copy());
    }
    String rollout = isolatedInstallation.submit("a1", "a2", "a3", "a4");
    isolatedInstallation.until(
        "the canary is drained", () -> isolatedInstallation.done("a1").contains("Drain"));
    isolatedInstallation.until("rows know by what policies", () -> acknowledged() > 0);
    numberEvents();
    isolatedInstallation.stop();
    String copy = isolatedInstallation.copyRows();
    simulatedConsumers = isolatedInstallation.start();
    simulatedConsumers.holdBack(JobStep.Health, host -> host.equals("a3") || host.equals("a4"));
    isolatedInstallation.until(
        "one ended, two are under way",
        () ->
            isolatedInstallation.done("a2").contains("Recover")
                && isolatedInstallation.locks().lockOn("a2").isEmpty()
                && isolatedInstallation.updates("a3") == 1
                && isolatedInstallation.updates("a4") == 1);
    batch = isolatedInstallation.locks().lockOn("a4").orElseThrow().id();
    if (etcd == Etcd.YOUNGER) {
      holds = Optional.of(isolatedInstallation.etcd.copy());
    }
    long generation = isolatedInstallation.locks().time().now().generation();
    if (etcd == Etcd.YOUNGER) {
      simulatedConsumers.holdBack(JobStep.Health, host -> host.equals("a4"));
      isolatedInstallation.until(
          "a third ended", () -> isolatedInstallation.locks().lockOn("a3").isEmpty());
    }
    lastEvent = numberEvents();
    isolatedInstallation.stop();
    isolatedInstallation.putRowsBack(copy, generation);
    holds.ifPresent(isolatedInstallation.etcd::putBack);
    isolatedInstallation.start();
    return rollout;
  }

  /** As the feed does, which an island has not; answers the highest number. */
  private long numberEvents() {
    return Long.parseLong(
        isolatedInstallation
            .fleet()
            .value(
                """
                WITH numbered AS (UPDATE events SET number = id RETURNING number)
                SELECT max(number) FROM numbered
                """));
  }

  /** Rows from before the first beat do not tell whether policies had hooks. */
  private long acknowledged() {
    return Long.parseLong(
        isolatedInstallation.fleet().value("SELECT acknowledged FROM store_beats"));
  }

  private String events(String kind) {
    return isolatedInstallation
        .fleet()
        .value("SELECT count(*) FROM events WHERE kind = '" + kind + "'");
  }
}
