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
  private final Island island = new Island(false);

  @AfterEach
  void close() {
    island.close();
  }

  @Test
  void aMendedHostIsReadJudgedAndRecoveredAndNotUpdatedAgain() {
    String failed = quarantined("a1");
    island.queue("t1", "a1");
    island.world().failing(JobStep.Health, host -> false);
    island.world().holdBack(JobStep.Health);
    String back = island.client().returnHost("a1", Optional.empty(), "new fan").getId();
    assertThat(island.client().returnHost("a1", Optional.empty(), "again").getId())
        .as("twice is once")
        .isEqualTo(back);
    island.until("it was read", () -> island.done("a1").contains("Verify"));
    assertThat(lock("a1").map(LockRecord::kind))
        .as("who waits for it waits on")
        .contains(Kind.BATCH);
    restart();
    assertThat(island.ended(back).getUpgraded()).isEqualTo(1);
    assertThat(island.done("a1")).containsSubsequence("Update", "Verify", "Health", "Recover");
    assertThat(island.updates("a1")).isEqualTo(1);
    island.until(
        "who waited has its turn", () -> lock("a1").map(LockRecord::id).equals(Optional.of("t1")));
    island.locks().desk().leave("t1", "kernel-team", "done");
    assertThat(island.host(failed, "a1").getState())
        .as("what it was quarantined for stays written")
        .isEqualTo(HostUpgradeState.Quarantined);
    assertThat(island.audit(back))
        .allSatisfy(found -> assertThat(found.violations()).as(found.toString()).isEmpty());
  }

  @Test
  void oneThatIsStillIllIsQuarantinedAgain() {
    quarantined("a1");
    String back = island.client().returnHost("a1", Optional.empty(), "perhaps").getId();
    assertThat(island.ended(back).getQuarantined()).isEqualTo(1);
    assertThat(island.host(back, "a1").getReason()).contains("Health");
    assertThat(island.done("a1")).doesNotContain("Recover");
    LockRecord lock = lock("a1").orElseThrow();
    assertThat(lock.kind()).isEqualTo(Kind.QUARANTINE);
    assertThat(lock.rollout()).contains(back);
  }

  @Test
  void whatIsNotQuarantinedCannotComeBack() {
    island.start();
    island.fleet().host("a1");
    assertThatThrownBy(() -> island.client().returnHost("a1", Optional.empty(), ""))
        .isInstanceOf(CallException.class)
        .hasMessageContaining("a1 is not quarantined: nobody has it locked");
    assertThatThrownBy(() -> island.client().returnHost("a9", Optional.empty(), ""))
        .isInstanceOf(CallException.class)
        .hasMessageContaining("there is no host named a9");
  }

  @Test
  void peopleQuarantineAHostOnceItIsFreeAndBringItBack() {
    island.start();
    island.fleet().host("a1");
    island.queue("t1", "a1");
    island.until("somebody has it", () -> lock("a1").isPresent());
    assertThat(island.client().quarantineHost("a1", "its fan is loud"))
        .contains("once lock t1 of kernel-team ends");
    island.locks().desk().leave("t1", "kernel-team", "done");
    island.until(
        "it is quarantined",
        () -> lock("a1").map(LockRecord::kind).equals(Optional.of(Kind.QUARANTINE)));
    assertThat(island.client().quarantineHost("a1", "again")).contains("quarantined already");
    assertThatThrownBy(() -> island.client().returnHost("a1", Optional.empty(), ""))
        .isInstanceOf(CallException.class)
        .hasMessageContaining("nothing tells which release a1 is on");
    island.world().failing(JobStep.Verify, host -> false);
    String back = island.client().returnHost("a1", Optional.of("2"), "new fan").getId();
    assertThat(island.ended(back).getUpgraded()).isEqualTo(1);
    assertThat(island.done("a1")).containsExactly("Verify", "Health", "Recover");
  }

  /** Every process ends in the middle, and others begin. */
  private void restart() {
    island.stop();
    island.start();
  }

  /** Answers the rollout after which the host is quarantined. */
  private String quarantined(String host) {
    island.start().failing(JobStep.Health, host::equals);
    String rollout = island.submit(host);
    assertThat(island.ended(rollout).getQuarantined()).isEqualTo(1);
    return rollout;
  }

  private Optional<LockRecord> lock(String host) {
    return island.locks().lockOn(host);
  }
}
