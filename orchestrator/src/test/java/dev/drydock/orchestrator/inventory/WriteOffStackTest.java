package dev.drydock.orchestrator.inventory;

import static dev.drydock.orchestrator.inventory.Reports.full;
import static dev.drydock.orchestrator.inventory.Reports.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.Host;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Instance;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.control.HostWriteOffs;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.OutcomeRows;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hosts that people do not expect back count for nobody, whatever reports say of them. */
@Tag("stack")
class WriteOffStackTest {
  private static final Principal ADAPTER =
      new Principal("static-adapter", "sre", Role.CONSUMER, Set.of("scheduler/static"));
  private static final Principal OTHER =
      new Principal("other", "sre", Role.CONSUMER, Set.of("scheduler/other"));
  private static final Principal SRE = new Principal("sre", "sre", Role.OPERATOR, Set.of());

  private static final LockTable NO_LOCKS =
      new LockTable(1, Map.of(), List.of(), Map.of(), Set.of());

  private final TestDatabase store = TestDatabase.create();
  private final MarkIssuer markIssuer = new MarkIssuer(store.jdbi());
  private final HostStore hostStore = new HostStore(store.jdbi());
  private final ReportIntake intake = new ReportIntake(store.jdbi(), new Metrics());
  private final HostWriteOffs writeOffs = new HostWriteOffs(store.jdbi(), () -> NO_LOCKS);

  @AfterEach
  void close() {
    store.close();
  }

  private void report() {
    intake.accept(ADAPTER, with(full("static", markIssuer.issue("static")), "h1", "h2"));
  }

  private Host stored(String host) {
    return hostStore.find(List.of(host), FieldMask.all()).values().iterator().next();
  }

  private boolean counts(String host) {
    return !stored(host).hasVanishedAt()
        && stored(host).getInstances().stream().noneMatch(Instance::hasVanishedAt);
  }

  @Test
  void reportsDoNotBringItBackUntilPeopleDo() {
    report();
    assertThat(writeOffs.writeOff(SRE, "h1", "burnt"))
        .isEqualTo("h1 is written off; no budget and no zone waits for it");
    assertThat(counts("h1")).isFalse();
    assertThat(stored("h1").getWrittenOff()).isEqualTo("burnt");
    report();
    assertThat(counts("h1")).as("it is reported all the same").isFalse();
    assertThat(counts("h2")).as("control").isTrue();
    assertThat(writeOffs.writeOff(SRE, "h1", "again"))
        .isEqualTo("h1 is written off already: burnt");
    assertThat(writeOffs.takeBack(SRE, "h1", "")).contains("once its source reports it");
    assertThat(writeOffs.takeBack(SRE, "h1", "")).isEqualTo("h1 is not written off");
    report();
    assertThat(counts("h1")).isTrue();
    assertThat(stored("h1").hasWrittenOff()).isFalse();
  }

  @Test
  void anotherSourceMayHaveIt() {
    report();
    writeOffs.writeOff(SRE, "h1", "burnt");
    intake.accept(OTHER, with(full("other", markIssuer.issue("other")), "h1"));
    assertThat(stored("h1").getSource()).isEqualTo("other");
    assertThat(counts("h1")).isFalse();
    writeOffs.takeBack(SRE, "h1", "");
    intake.accept(OTHER, with(full("other", markIssuer.issue("other")), "h1"));
    assertThat(counts("h1")).isTrue();
  }

  @Test
  void itLeavesRolloutsInWhichItWaitsAndNoneThatHasIt() {
    Fleet fleet = new Fleet(store.jdbi());
    fleet.host("h1");
    fleet.host("h2");
    fleet.rollout("r1", "h1", "h2");
    fleet.asIf.are(HostUpgradeState.InProgress, "h2");
    assertThat(writeOffs.writeOff(SRE, "h1", "burnt")).endsWith(", and it left rollout r1");
    assertThat(new OutcomeRows(fleet).host("h1")).isEqualTo("Cancelled: written off by sre: burnt");
    assertThatThrownBy(() -> writeOffs.writeOff(SRE, "h2", "burnt"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("h2 is granted to rollout r1");
  }

  @Test
  void aReasonAndAHostAreNeeded() {
    report();
    assertThatThrownBy(() -> writeOffs.writeOff(SRE, "h1", " "))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("why does it not come back");
    assertThatThrownBy(() -> writeOffs.writeOff(SRE, "h9", "burnt"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("there is no host named h9");
  }
}
