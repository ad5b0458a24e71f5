package dev.drydock.orchestrator.store;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.orchestrator.testkit.AsIf;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.Row;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A host joins a rollout of many in zones of three; it has instances in the zone of the 50th. */
@Tag("stack")
class RegroupTest {
  private static final int ZONES = 100;
  private static final int JOINED = 50;
  private static final String[] LAST_BATCH = {"h297", "h298", "h299"};

  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void oneJoins() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    fleet.rollout("r1");
    fleet.crowd("r1", "h", 0, 300, 3);
    fleet.zones.together(Set.of("web"), IntStream.range(0, ZONES).mapToObj(this::zone).toList());
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private List<String> zone(int number) {
    int first = 3 * number;
    List<String> three = List.of("h" + first, "h" + (first + 1), "h" + (first + 2));
    return number == JOINED ? List.of(three.get(0), three.get(1), three.get(2), "h300") : three;
  }

  @Test
  void onlyWhoComesIntoAnotherBatchIsWritten() {
    Map<String, String> before = versions();
    regroup(fleet.zones);
    Map<String, String> after = versions();
    assertThat(after.keySet())
        .filteredOn(host -> !Objects.equals(after.get(host), before.get(host)))
        .containsExactly("h300");
    assertThat(batch("h300")).isEqualTo(JOINED);
  }

  @Test
  void onlyWhoComesIntoAnotherBatchIsLocked() {
    database
        .jdbi()
        .useTransaction(
            handle -> {
              ZoneClosure.regroup(handle, "r1", fleet.zones);
              assertThat(fleet.rows.freeHosts())
                  .contains("h0", "h150", "h299")
                  .doesNotContain("h300");
            });
  }

  /** By a proposal that was quicker. */
  @Test
  void whoIsTakenMeanwhileStaysWhereItIs() {
    regroup(
        new Taking(
            () ->
                assertThat(
                        fleet.candidates.propose(
                            new Candidate("r1.h300", "r1", List.of("h300"), "sre", "test"),
                            Fleet.GRANT))
                    .isPresent()));
    assertThat(batch("h300")).isEqualTo(100);
    assertThat(batch("h150")).isEqualTo(JOINED);
  }

  /** A host joins while a batch that is given back splits; who joins still sees it taken. */
  @Test
  void whoMakesBatchesAnewMeanwhileWaits() {
    List<List<String>> zones =
        new ArrayList<>(IntStream.range(0, ZONES - 1).mapToObj(this::zone).toList());
    zones.addAll(List.of(List.of("h297"), List.of("h298"), List.of("h299")));
    fleet.zones.together(Set.of("web"), zones);
    fleet.asIf.are(HostUpgradeState.InProgress, LAST_BATCH);
    AtomicReference<CompletableFuture<Void>> joins = new AtomicReference<>();
    Taking meanwhile =
        new Taking(
            () -> {
              joins.set(CompletableFuture.runAsync(this::anotherJoins, Thread::startVirtualThread));
              while (!joins.get().isDone() && !somebodyWaits()) {
                Thread.onSpinWait();
              }
            });
    database
        .jdbi()
        .useTransaction(
            handle -> {
              AsIf.are(handle, HostUpgradeState.Pending, LAST_BATCH);
              ZoneClosure.regroup(handle, "r1", meanwhile);
            });
    joins.get().orTimeout(30, TimeUnit.SECONDS).join();
    assertThat(List.of("h297", "h298", "h299", "h301"))
        .extracting(this::batch)
        .doesNotHaveDuplicates();
  }

  private void anotherJoins() {
    database
        .jdbi()
        .useTransaction(
            handle -> {
              Fleet.crowd(handle, "r1", "h", 301, 301, 1);
              ZoneClosure.regroup(handle, "r1", fleet.zones);
            });
  }

  private boolean somebodyWaits() {
    return !fleet
        .value(
            """
            SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """)
        .equals("0");
  }

  /** Something happens after hosts were read, once. */
  private final class Taking implements ZonePolicy {
    private Runnable meanwhile;

    Taking(Runnable meanwhile) {
      this.meanwhile = meanwhile;
    }

    @Override
    public Set<String> together() {
      return fleet.zones.together();
    }

    @Override
    public int most() {
      return fleet.zones.most();
    }

    @Override
    public List<List<String>> batches(Collection<String> hosts) {
      CompletableFuture.runAsync(meanwhile).orTimeout(30, TimeUnit.SECONDS).join();
      meanwhile = () -> {};
      return fleet.zones.batches(hosts);
    }
  }

  private void regroup(ZonePolicy zones) {
    database.jdbi().useTransaction(handle -> ZoneClosure.regroup(handle, "r1", zones));
  }

  private int batch(String host) {
    return fleet.rows.host(host).batch();
  }

  /** Of each row the transaction that wrote it. */
  private Map<String, String> versions() {
    return fleet.rows.hosts().stream().collect(toMap(Row.Host::name, Row.Host::version));
  }
}
