package dev.drydock.orchestrator.packages;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.PackageReading;
import dev.drydock.api.PackagesDue;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.orchestrator.control.HostWriteOffs;
import dev.drydock.orchestrator.jobs.EffectMarks;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.orchestrator.testkit.BatchSteps;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whose packages changed while nobody had them, is told; what we do ourselves never is. */
@Tag("stack")
class PackageWatchTest {
  private static final Principal SRE = new Principal("sre", "sre", Role.OPERATOR, Set.of());
  private static final PageRequest ALL = new PageRequest(0, 100);
  private static final String OLD = "a".repeat(64);
  private static final String NEW = "b".repeat(64);

  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());
  private final HostsInHands hands = new HostsInHands();
  private final PackageWatch watch = new PackageWatch(database.jdbi(), hands);

  @BeforeEach
  void aHost() {
    fleet.host("h1");
    fleet.rollout("r1", "h1");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private List<String> due() {
    return watch.due(0, ALL).elements().stream().map(PackagesDue::getHost).toList();
  }

  private PackagesDue offered() {
    return watch.due(0, ALL).elements().getFirst();
  }

  private static PackageReading reading(PackagesDue offered, String digest) {
    return new PackageReading()
        .setHost(offered.getHost())
        .setStamp(offered.getStamp())
        .setAskedAt(offered.getAskedAt())
        .setDigest(digest)
        .setFault("");
  }

  private static PackageReading fault(PackagesDue offered) {
    return reading(offered, "").setFault("no route to it");
  }

  private int read(String digest) {
    return watch.report(List.of(reading(offered(), digest)));
  }

  private int told() {
    return fleet.rows.told("ForeignUpdate").size();
  }

  private void effect() {
    database.jdbi().useHandle(handle -> EffectMarks.effectNow(handle, "h1"));
  }

  @Test
  void packagesThatSomebodyElseChangedAreToldOnceInEventInWhyAndInTheReport() {
    assertThat(read(OLD)).isOne();
    PackagesDue equal = offered();
    assertThat(watch.report(List.of(reading(equal, OLD)))).isOne();
    assertThat(told()).isZero();
    PackagesDue changed = offered();
    assertThat(watch.report(List.of(reading(changed, NEW)))).isOne();
    assertThat(watch.report(List.of(reading(changed, NEW)))).as("the same again").isZero();
    assertThat(read(NEW)).as("what is there from now on").isOne();

    var event = fleet.rows.told("ForeignUpdate");
    assertThat(event).hasSize(1);
    assertThat(event.getFirst().host()).isEqualTo("h1");
    assertThat(event.getFirst().data().get("after")).isEqualTo(equal.getAskedAt());
    assertThat(String.valueOf(event.getFirst().data().get("reason")))
        .matches("its packages were changed between \\S+Z and \\S+Z, by nobody of Drydock");
    HostDecision why =
        new HostDecisions(database.jdbi())
            .until("h1", Instant.parse("9999-01-01T00:00:00Z"), ALL, FieldMask.all())
            .elements()
            .getFirst();
    assertThat(why.getDecision()).isEqualTo("ForeignUpdate");
    assertThat(why.getReason()).isEqualTo(event.getFirst().data().get("reason"));
    assertThat(
            new ReportStore(database.jdbi())
                .draw("r1", false, Optional.empty())
                .orElseThrow()
                .foreignUpdates())
        .singleElement()
        .satisfies(found -> assertThat(found.host()).isEqualTo("h1"))
        .satisfies(found -> assertThat(found.before()).isAfterOrEqualTo(found.after()));
  }

  @Test
  void anUpdateOfOursIsNone() {
    read(OLD);
    PackagesDue before = offered();
    String grant = fleet.grant("r1", "h1");
    assertThat(due()).as("a batch has it").isEmpty();
    assertThat(watch.report(List.of(reading(before, NEW)))).as("it is at work").isZero();
    effect();
    new BatchSteps(fleet).toEnd(grant);
    assertThat(watch.report(List.of(reading(before, OLD)))).as("it was read before").isZero();
    assertThat(read(NEW)).isOne();
    assertThat(read(NEW)).isOne();
    assertThat(told()).isZero();
  }

  @Test
  void whoeverHasALockMayChangeIt() {
    read(OLD);
    PackagesDue before = offered();
    hands.lock("h1", Kind.SESSION);
    assertThat(due()).isEmpty();
    assertThat(watch.report(List.of(reading(before, NEW)))).isZero();
    hands.end("h1", fleet.mark());
    assertThat(watch.report(List.of(reading(before, NEW)))).isZero();
    assertThat(read(NEW)).isOne();
    assertThat(told()).isZero();
  }

  @Test
  void ofTwoReadingsThatOverlapTheFirstThatIsReportedCounts() {
    read(OLD);
    PackagesDue one = offered();
    PackagesDue other = offered();
    assertThat(watch.report(List.of(reading(other, NEW)))).isOne();
    assertThat(watch.report(List.of(reading(one, OLD)))).as("it may be the older one").isZero();
    assertThat(told()).isOne();
  }

  @Test
  void aHostThatCannotBeReadKeepsWhatIsKnownAndIsDueMoreRarely() {
    read(OLD);
    for (int i = 0; i < 3; i++) {
      assertThat(watch.report(List.of(fault(offered())))).isOne();
    }
    fleet.host("h2");
    assertThat(watch.due(3600, ALL).elements())
        .extracting(PackagesDue::getHost)
        .as("only what was never read is due")
        .containsExactly("h2");
    assertThat(due()).as("never read before read").containsExactly("h2", "h1");
    watch.report(List.of(reading(watch.due(0, ALL).elements().getLast(), NEW)));
    assertThat(told()).as("it changed all the same").isOne();
  }

  @Test
  void hostsThatAreNotThereAreNotRead() {
    assertThat(due()).containsExactly("h1");
    PackagesDue stranger = offered().setHost("h7");
    assertThat(watch.report(List.of(reading(stranger, OLD)))).isZero();
    fleet.asIf.are(HostUpgradeState.InProgress, "h1");
    assertThat(due()).as("whatever etcd says").isEmpty();
    fleet.asIf.are(HostUpgradeState.Upgraded, "h1");
    new HostWriteOffs(database.jdbi(), hands).writeOff(SRE, "h1", "burnt");
    assertThat(due()).isEmpty();
  }
}
