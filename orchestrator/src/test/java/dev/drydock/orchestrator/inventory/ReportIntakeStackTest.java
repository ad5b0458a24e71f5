package dev.drydock.orchestrator.inventory;

import static dev.drydock.orchestrator.inventory.Reports.delta;
import static dev.drydock.orchestrator.inventory.Reports.full;
import static dev.drydock.orchestrator.inventory.Reports.web;
import static dev.drydock.orchestrator.inventory.Reports.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.HealthState;
import dev.drydock.api.Host;
import dev.drydock.api.Instance;
import dev.drydock.api.InventoryReport;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.platform.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
class ReportIntakeStackTest {
  private static final Principal ADAPTER =
      new Principal("static-adapter", "sre", Role.CONSUMER, Set.of("scheduler/static"));
  private static final Principal OTHER =
      new Principal("other", "sre", Role.CONSUMER, Set.of("scheduler/other"));

  private final TestDatabase store = TestDatabase.create();
  private final MarkIssuer markIssuer = new MarkIssuer(store.jdbi());
  private final HostStore hostStore = new HostStore(store.jdbi());
  private final ReportIntake intake = new ReportIntake(store.jdbi(), new Metrics());

  @AfterAll
  void close() {
    store.close();
  }

  @BeforeEach
  void empty() {
    store
        .jdbi()
        .useHandle(h -> h.execute("TRUNCATE marks, sources, hosts, instances, audit CASCADE"));
  }

  private Host stored(String host) {
    return hostStore.find(List.of(host), FieldMask.all()).values().stream()
        .findFirst()
        .orElseThrow();
  }

  private Instance instance(String id) {
    String host = id.substring(id.indexOf('@') + 1);
    return stored(host).getInstances().stream()
        .filter(i -> i.getId().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private boolean accepted(InventoryReport report) {
    return intake.accept(ADAPTER, report).isAccepted();
  }

  @Test
  void aReportShowsUpWithItsMark() {
    long mark = markIssuer.issue("static");
    assertThat(accepted(with(full("static", mark), "h1", "h2"))).isTrue();
    assertThat(instance("web@h1").getMark()).isEqualTo(mark);
    assertThat(instance("web@h1").getHealth()).isEqualTo(HealthState.Healthy);
    assertThat(hostStore.page(new PageRequest(0, 10), FieldMask.all()).total()).isEqualTo(2);
  }

  @Test
  void theCapacityOfAnInstanceIsKeptAndIsOneWhereNobodyTells() {
    InventoryReport sized = with(full("static", markIssuer.issue("static")), "h1", "h2");
    sized.getInstances().getFirst().setCapacity(32);
    assertThat(accepted(sized)).isTrue();
    assertThat(instance("web@h1").getCapacity()).isEqualTo(32);
    assertThat(instance("web@h2").getCapacity()).isEqualTo(1);
    sized.getInstances().getFirst().setCapacity(8);
    sized.setMark(markIssuer.issue("static"));
    assertThat(accepted(sized)).isTrue();
    assertThat(instance("web@h1").getCapacity()).isEqualTo(8);
  }

  @Test
  void anOlderOrRepeatedMarkIsIgnored() {
    long older = markIssuer.issue("static");
    long newer = markIssuer.issue("static");
    assertThat(accepted(with(full("static", newer), "h1"))).isTrue();
    assertThat(accepted(with(full("static", newer), "h1"))).as("repeated").isFalse();
    InventoryReport late = with(full("static", older), "h1");
    late.getInstances().getFirst().setHealth(HealthState.Unhealthy);
    assertThat(accepted(late)).isFalse();
    assertThat(instance("web@h1").getHealth()).isEqualTo(HealthState.Healthy);
  }

  @Test
  void aMarkNeverIssuedOrIssuedToOthersIsRefused() {
    for (long mark : List.of(999_999L, markIssuer.issue("other"))) {
      ApiException refused =
          catchThrowableOfType(
              ApiException.class, () -> accepted(with(full("static", mark), "h1")));
      assertThat(refused.code()).isEqualTo("UNKNOWN_MARK");
    }
    assertThat(hostStore.page(new PageRequest(0, 10), FieldMask.all()).total()).isZero();
  }

  @Test
  void theTimeOfAnObservationIsNeverAfterItsMarkWasIssued() {
    long mark = markIssuer.issue("static");
    Instant issued =
        store
            .jdbi()
            .withHandle(h -> MarkIssuer.find(h, mark).map(MarkIssuer.Issued::at).orElseThrow());
    InventoryReport report = with(full("static", mark), "h1", "h2", "h3");
    report.getInstances().get(0).setObservedAt(issued.plusSeconds(86_400).toEpochMilli());
    report.getInstances().get(1).setObservedAt(issued.minusSeconds(7).toEpochMilli());
    report.getInstances().get(2).setObservedAt(Long.MIN_VALUE);
    assertThat(accepted(report)).isTrue();
    assertThat(Instant.ofEpochMilli(instance("web@h1").getObservedAt()))
        .isEqualTo(issued.truncatedTo(ChronoUnit.MILLIS));
    assertThat(Instant.ofEpochMilli(instance("web@h2").getObservedAt()))
        .isBetween(issued.minusSeconds(8), issued.minusSeconds(6));
    assertThat(Instant.ofEpochMilli(instance("web@h3").getObservedAt())).isEqualTo(Instant.EPOCH);
  }

  @Test
  void whatVanishesFromAFullReportIsMarkedAndComesBack() {
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1", "h2"))).isTrue();
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
    assertThat(stored("h2").getVanishedAt()).isNotNull();
    assertThat(instance("web@h2").getVanishedAt()).isNotNull();
    assertThat(instance("web@h1").getVanishedAt()).isNull();
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1", "h2"))).isTrue();
    assertThat(stored("h2").getVanishedAt()).isNull();
    assertThat(instance("web@h2").getVanishedAt()).isNull();
  }

  @Test
  void aDeltaLeavesTheRestAlone() {
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1", "h2"))).isTrue();
    InventoryReport delta = delta("static", markIssuer.issue("static"));
    delta.getInstances().add(web("h1").setHealth(HealthState.Unhealthy).setDetail("503"));
    assertThat(accepted(delta)).isTrue();
    assertThat(instance("web@h1").getHealth()).isEqualTo(HealthState.Unhealthy);
    assertThat(instance("web@h2").getVanishedAt()).isNull();
  }

  @Test
  void aHostOfAnotherSourceIsRefusedAndNothingIsApplied() {
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
    InventoryReport report = with(full("other", markIssuer.issue("other")), "h9", "h1");
    ApiException refused =
        catchThrowableOfType(ApiException.class, () -> intake.accept(OTHER, report));
    assertThat(refused.status().code()).isEqualTo(409);
    assertThat(refused.details())
        .extracting(d -> d.getPath() + ": " + d.getMessage())
        .contains(
            "hosts[1].name: host h1 is reported by source static",
            "instances[1].id: instance web@h1 is reported by source static");
    assertThat(hostStore.unknown(List.of("h1", "h9"))).containsExactly("h9");
  }

  @Test
  void aVanishedHostMayMoveToAnotherSource() {
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
    assertThat(accepted(full("static", markIssuer.issue("static")))).isTrue();
    assertThat(
            intake.accept(OTHER, with(full("other", markIssuer.issue("other")), "h1")).isAccepted())
        .isTrue();
    assertThat(stored("h1").getSource()).isEqualTo("other");
  }

  @Test
  void aDeltaCannotPlaceAnInstanceOnAHostNobodyReported() {
    InventoryReport delta = delta("static", markIssuer.issue("static"));
    delta.getInstances().add(web("h7"));
    ApiException refused = catchThrowableOfType(ApiException.class, () -> accepted(delta));
    assertThat(refused.details().getFirst().getMessage())
        .isEqualTo("source static never reported host h7");
  }

  @Test
  void aConsumerSpeaksOnlyForItsSources() {
    ApiException refused =
        catchThrowableOfType(
            ApiException.class,
            () -> intake.accept(OTHER, with(full("static", markIssuer.issue("static")), "h1")));
    assertThat(refused.status().code()).isEqualTo(403);
    ApiException noMark =
        catchThrowableOfType(ApiException.class, () -> intake.mark(OTHER, "static", markIssuer));
    assertThat(noMark.status().code()).isEqualTo(403);
  }

  @Test
  void aReadOfAJobIsNotOverwrittenByAnOlderReport() {
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1", "h2"))).isTrue();
    long before = markIssuer.issue("static");
    long read = markIssuer.issue("static");
    store
        .jdbi()
        .useHandle(
            handle ->
                handle.execute(
                    "UPDATE instances SET health = 'Unhealthy', mark = ? WHERE host = 'h1'", read));
    assertThat(accepted(with(full("static", before), "h1", "h2"))).isTrue();
    assertThat(instance("web@h1").getHealth()).isEqualTo(HealthState.Unhealthy);
    assertThat(instance("web@h1").getMark()).isEqualTo(read);
    assertThat(instance("web@h2").getMark()).isEqualTo(before);
    assertThat(accepted(full("static", markIssuer.issue("static")))).isTrue();
    assertThat(instance("web@h1").getVanishedAt()).as("a newer report does count").isNotNull();
  }

  @Test
  void placementChangesAreAuditedAndPlainRepetitionIsNot() {
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
    assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
    int rows =
        store
            .jdbi()
            .withHandle(
                h -> h.createQuery("SELECT count(*) FROM audit").mapTo(Integer.class).one());
    assertThat(rows).isEqualTo(1);
  }

  @Test
  void theGrantorIsWokenByChangesAndEffectsOnly() throws InterruptedException {
    Semaphore woken = new Semaphore(0);
    try (var _ =
        new WakeupChannel(store.database())
            .listen("grantor", Duration.ofMinutes(5), woken::release)) {
      assertWoken(woken, "at the start");
      assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
      assertWoken(woken, "by a new host");
      assertThat(accepted(with(full("static", markIssuer.issue("static")), "h1"))).isTrue();
      InventoryReport sick = with(full("static", markIssuer.issue("static")), "h1");
      sick.getInstances().getFirst().setHealth(HealthState.Unhealthy);
      assertThat(accepted(sick)).isTrue();
      assertWoken(woken, "by a change of health");
      sick.getInstances().getFirst().setCapacity(4);
      sick.setMark(markIssuer.issue("static"));
      assertThat(accepted(sick)).isTrue();
      assertWoken(woken, "by another capacity");
      markIssuer.next();
      sick.setMark(markIssuer.issue("static"));
      assertThat(accepted(sick)).isTrue();
      assertWoken(woken, "by the first report after an effect");
      assertThat(woken.availablePermits()).as("the report without a change").isZero();
    }
  }

  private static void assertWoken(Semaphore woken, String when) throws InterruptedException {
    assertThat(woken.tryAcquire(20, TimeUnit.SECONDS)).as(when).isTrue();
  }

  @Test
  void reportsAndEndsOfJobsDoNotDeadLock() throws Exception {
    String[] fleet = IntStream.range(0, 20).mapToObj(n -> "h" + n).toArray(String[]::new);
    assertThat(accepted(with(full("static", markIssuer.issue("static")), fleet))).isTrue();
    int rounds = 60;
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> jobs = threads.submit(() -> endJobs(fleet, rounds));
      Future<?> others =
          threads.submit(
              () -> {
                for (int i = 0; i < rounds; i++) {
                  intake.accept(OTHER, with(full("other", markIssuer.issue("other")), "x" + i % 3));
                }
              });
      for (int i = 0; i < rounds; i++) {
        String[] some = Arrays.copyOf(fleet, 10 + i % 10);
        assertThat(accepted(with(full("static", markIssuer.issue("static")), some))).isTrue();
      }
      jobs.get(60, TimeUnit.SECONDS);
      others.get(60, TimeUnit.SECONDS);
    }
  }

  /** In the order of the job board: the read, then the effect. */
  private void endJobs(String[] fleet, int rounds) {
    for (int i = 0; i < rounds; i++) {
      String host = fleet[i % fleet.length];
      store
          .jdbi()
          .useTransaction(
              handle -> {
                handle.execute("UPDATE instances SET detail = '' WHERE host = ?", host);
                handle.execute("UPDATE hosts SET effect_mark = 1 WHERE name = ?", host);
              });
    }
  }

  @Test
  void oldMarksAreForgottenButNotTheLastOfASource() {
    long last = markIssuer.issue("static");
    assertThat(accepted(with(full("static", last), "h1"))).isTrue();
    long unused = markIssuer.issue("static");
    assertThat(markIssuer.prune(Duration.ofDays(1))).isZero();
    store
        .jdbi()
        .useHandle(h -> h.execute("UPDATE marks SET issued_at = issued_at - interval '2 days'"));
    assertThat(markIssuer.prune(Duration.ofDays(1))).isEqualTo(1);
    Optional<MarkIssuer.Issued> kept = store.jdbi().withHandle(h -> MarkIssuer.find(h, last));
    assertThat(kept).isPresent();
    Optional<MarkIssuer.Issued> pruned = store.jdbi().withHandle(h -> MarkIssuer.find(h, unused));
    assertThat(pruned).isEmpty();
    assertThat(markIssuer.issue("static")).as("marks never go back").isGreaterThan(unused);
  }
}
