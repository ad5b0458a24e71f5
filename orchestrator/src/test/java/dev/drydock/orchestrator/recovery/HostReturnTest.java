package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.proto.client.CallException;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A person's way back for a host that was quarantined. */
@Tag("stack")
@Timeout(600)
class HostReturnTest {
  private final IsolatedInstallation isolatedInstallation = new IsolatedInstallation(false);

  @AfterEach
  void close() {
    isolatedInstallation.close();
  }

  @Test
  void aMendedHostIsReadJudgedAndRecoveredAndNotUpdatedAgain() {
    String failed = quarantined("a1");
    isolatedInstallation.queue("t1", "a1");
    isolatedInstallation.world().failing(JobStep.Health, host -> false);
    isolatedInstallation.world().holdBack(JobStep.Health);
    String back =
        isolatedInstallation.client().returnHost("a1", Optional.empty(), "new fan").getId();
    assertThat(isolatedInstallation.client().returnHost("a1", Optional.empty(), "again").getId())
        .as("twice is once")
        .isEqualTo(back);
    isolatedInstallation.until(
        "it was read", () -> isolatedInstallation.done("a1").contains("Verify"));
    assertThat(lock("a1").map(LockRecord::kind))
        .as("who waits for it waits on")
        .contains(Kind.BATCH);
    restart();
    assertThat(isolatedInstallation.ended(back).getUpgraded()).isEqualTo(1);
    assertThat(isolatedInstallation.done("a1"))
        .containsSubsequence("Update", "Verify", "Health", "Recover");
    assertThat(isolatedInstallation.updates("a1")).isEqualTo(1);
    isolatedInstallation.until(
        "who waited has its turn", () -> lock("a1").map(LockRecord::id).equals(Optional.of("t1")));
    isolatedInstallation.locks().desk().leave("t1", "kernel-team", "done");
    assertThat(isolatedInstallation.host(failed, "a1").getState())
        .as("what it was quarantined for stays written")
        .isEqualTo(HostUpgradeState.Quarantined);
    assertThat(isolatedInstallation.audit(back))
        .allSatisfy(found -> assertThat(found.violations()).as(found.toString()).isEmpty());
  }

  @Test
  void oneThatIsStillIllIsQuarantinedAgain() {
    quarantined("a1");
    String back =
        isolatedInstallation.client().returnHost("a1", Optional.empty(), "perhaps").getId();
    assertThat(isolatedInstallation.ended(back).getQuarantined()).isEqualTo(1);
    assertThat(isolatedInstallation.host(back, "a1").getReason()).contains("Health");
    assertThat(isolatedInstallation.done("a1")).doesNotContain("Recover");
    LockRecord lock = lock("a1").orElseThrow();
    assertThat(lock.kind()).isEqualTo(Kind.QUARANTINE);
    assertThat(lock.rollout()).contains(back);
  }

  @Test
  void whatIsNotQuarantinedCannotComeBack() {
    isolatedInstallation.start();
    isolatedInstallation.fleet().host("a1");
    assertThatThrownBy(() -> isolatedInstallation.client().returnHost("a1", Optional.empty(), ""))
        .isInstanceOf(CallException.class)
        .hasMessageContaining("a1 is not quarantined: nobody has it locked");
    assertThatThrownBy(() -> isolatedInstallation.client().returnHost("a9", Optional.empty(), ""))
        .isInstanceOf(CallException.class)
        .hasMessageContaining("there is no host named a9");
  }

  @Test
  void peopleQuarantineAHostOnceItIsFreeAndBringItBack() {
    isolatedInstallation.start();
    isolatedInstallation.fleet().host("a1");
    isolatedInstallation.queue("t1", "a1");
    isolatedInstallation.until("somebody has it", () -> lock("a1").isPresent());
    assertThat(isolatedInstallation.client().quarantineHost("a1", "its fan is loud"))
        .contains("once lock t1 of kernel-team ends");
    isolatedInstallation.locks().desk().leave("t1", "kernel-team", "done");
    isolatedInstallation.until(
        "it is quarantined",
        () -> lock("a1").map(LockRecord::kind).equals(Optional.of(Kind.QUARANTINE)));
    assertThat(isolatedInstallation.client().quarantineHost("a1", "again"))
        .contains("quarantined already");
    assertThatThrownBy(() -> isolatedInstallation.client().returnHost("a1", Optional.empty(), ""))
        .isInstanceOf(CallException.class)
        .hasMessageContaining("nothing tells which release a1 is on");
    isolatedInstallation.world().failing(JobStep.Verify, host -> false);
    String back =
        isolatedInstallation.client().returnHost("a1", Optional.of("2"), "new fan").getId();
    assertThat(isolatedInstallation.ended(back).getUpgraded()).isEqualTo(1);
    assertThat(isolatedInstallation.done("a1")).containsExactly("Verify", "Health", "Recover");
  }

  /** Every process ends in the middle, and others begin. */
  private void restart() {
    isolatedInstallation.stop();
    isolatedInstallation.start();
  }

  /** Answers the rollout after which the host is quarantined. */
  private String quarantined(String host) {
    isolatedInstallation.start().failing(JobStep.Health, host::equals);
    String rollout = isolatedInstallation.submit(host);
    assertThat(isolatedInstallation.ended(rollout).getQuarantined()).isEqualTo(1);
    return rollout;
  }

  private Optional<LockRecord> lock(String host) {
    return isolatedInstallation.locks().lockOn(host);
  }
}
