package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.api.AuditVerdict;
import dev.drydock.api.HealthState;
import dev.drydock.api.Host;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import dev.drydock.api.LockChange;
import dev.drydock.api.LockKind;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutState;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The server is killed at each crash point that the return of a quarantined host passes, and
 * started again: the return ends as if nothing had been. A host of its own for each kill.
 */
@Tag("full")
@Timeout(300)
@TestInstance(Lifecycle.PER_CLASS)
final class ReturnSurvivesKillsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** When a crash point is armed: points of its kind are passed before that as well. */
  private enum Moment {
    ASKED,
    BEFORE_RESULT,
    AFTER_RESULT
  }

  /**
   * Where the server dies.
   *
   * @param step whose result the moment is about
   */
  private record Kill(String point, Moment moment, JobStep step) {

    /** At the first of its kind. */
    static Kill at(String point) {
      return new Kill(point, Moment.ASKED, JobStep.Verify);
    }

    /** While the result of the step is taken, and what follows from it is decided. */
    static Kill at(String point, JobStep step) {
      return new Kill(point, Moment.BEFORE_RESULT, step);
    }

    /** Once the result of the step was taken. */
    static Kill after(JobStep step, String point) {
      return new Kill(point, Moment.AFTER_RESULT, step);
    }

    String host() {
      return "k%02d".formatted(KILLS.indexOf(this));
    }

    @Override
    public String toString() {
      return switch (moment) {
        case ASKED -> point;
        case BEFORE_RESULT -> point + " with the result of " + step;
        case AFTER_RESULT -> point + " after the result of " + step;
      };
    }
  }

  /** In the order in which a return passes them. */
  private static final List<Kill> KILLS =
      List.of(
          Kill.at("event-rolloutcreated-writing"),
          Kill.at("event-rolloutcreated-written"),
          Kill.at("after-quarantine-ended"),
          Kill.at("after-host-impounded"),
          Kill.at("phase-reclaim-writing"),
          Kill.at("phase-reclaim-written"),
          Kill.at("event-jobpublished-writing"),
          Kill.at("event-jobpublished-written"),
          Kill.at("after-job-published"),
          Kill.at("after-job-claimed"),
          Kill.at("after-result-stored"),
          Kill.at("after-job-published", JobStep.Verify),
          Kill.after(JobStep.Verify, "after-job-claimed"),
          Kill.at("after-result-stored", JobStep.Health),
          Kill.at("phase-reclaim-writing", JobStep.Health),
          Kill.at("after-job-published", JobStep.Health),
          Kill.after(JobStep.Health, "after-job-claimed"),
          Kill.at("after-result-stored", JobStep.Recover),
          Kill.at("phase-reclaim-writing", JobStep.Recover),
          Kill.at("event-hostupgraded-writing"),
          Kill.at("event-hostupgraded-written"),
          Kill.at("before-end-recorded"),
          Kill.at("before-hold-ended"),
          Kill.at("after-hold-ended"));

  /** That of the control. */
  private static final String TWICE = "twice";

  /**
   * A host that was quarantined.
   *
   * @param rollout after which
   * @param done how much was done on it until then
   */
  private record Quarantined(String host, String rollout, int done) {}

  private TestServer server;
  private DrydockClient client;
  private DrydockClient once;
  private SmallSite site;
  private Jdbi database;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder).mortal();
    server.startUntilReady();
    database = server.database();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    ClientConfig config = ClientConfig.of(server.address(""), token).withCallTimeout(PATIENCE);
    client = new DrydockClient(config.withRetryBudget(PATIENCE));
    once = new DrydockClient(config.withRetryBudget(Duration.ZERO));
    site = new SmallSite(client).patient();
    for (String host : Stream.concat(KILLS.stream().map(Kill::host), Stream.of(TWICE)).toList()) {
      site.put("web@" + host, "web", host, true);
      site.outcome(JobStep.Health, host, JobOutcome.Failed);
    }
    site.start();
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: web, team: t}
        spec: {applications: [web], capacity: [{maxUnavailable: 100%}]}
        """);
  }

  @AfterAll
  void close() throws Exception {
    site.close();
    once.close();
    client.close();
    server.close();
  }

  @ParameterizedTest(name = "{0}")
  @FieldSource("KILLS")
  void aReturnEndsTheSameWhereverTheServerWasKilled(Kill kill) throws Exception {
    Quarantined ill = quarantined(kill.host());
    String back = killed(kill, ill);
    assertAsIfNothingHadBeen(ill, back);
  }

  /** Between the two returns a person takes the host out again: each does all there is to do. */
  @Test
  void controlAHostThatWasBroughtBackTwiceIsSeen() {
    Quarantined ill = quarantined(TWICE);
    String first = returned(TWICE);
    client.quarantineHost(TWICE, "once more");
    returned(TWICE);
    assertThatThrownBy(() -> assertAsIfNothingHadBeen(ill, first))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("nothing was done twice");
    assertThatThrownBy(() -> assertOneReturn(TWICE, first)).isInstanceOf(AssertionError.class);
  }

  private String returned(String host) {
    untilQuiet();
    site.outcome(JobStep.Health, host, JobOutcome.Done);
    return untilEnded(client.returnHost(host, Optional.empty(), "new fan").getId());
  }

  /** Its health did not pass after an update. */
  private Quarantined quarantined(String host) {
    String rollout = site.rollout(host);
    site.until(
        host + " is quarantined",
        () -> site.upgrade(rollout, host).getState() == HostUpgradeState.Quarantined,
        () -> "; " + site.upgrade(rollout, host));
    return new Quarantined(host, rollout, site.done(host).size());
  }

  /** A return during which the server is killed; answers its rollout once that has ended. */
  private String killed(Kill kill, Quarantined ill) throws Exception {
    String host = ill.host();
    untilQuiet();
    site.outcome(JobStep.Health, host, JobOutcome.Done);
    server.forgetDeaths();
    arm(kill, host);
    Optional<String> told = askedOnce(host);
    site.until("the server dies at " + kill, () -> server.died(kill.point()));
    server.startUntilReady();
    return untilEnded(
        told.orElseGet(() -> client.returnHost(host, Optional.empty(), "again").getId()));
  }

  private String untilEnded(String back) {
    site.until(
        "it ends", () -> client.rollout(back).hasEndedAt(), () -> "; " + client.rollout(back));
    untilQuiet();
    return back;
  }

  /** Until nothing of an earlier batch passes a crash point any more. */
  private void untilQuiet() {
    site.until("all holds have ended", () -> rows(RolloutRows::holds).isEmpty());
  }

  private void assertAsIfNothingHadBeen(Quarantined ill, String back) {
    String host = ill.host();
    Rollout ended = client.rollout(back);
    assertThat(ended.getState()).isEqualTo(RolloutState.Succeeded);
    assertThat(ended.getUpgraded()).isEqualTo(1);
    assertThat(site.done(host).stream().skip(ill.done()))
        .as("nothing was done twice")
        .containsExactly("Verify", "Health", "Recover");
    assertInService(host);
    assertOneReturn(host, back);
    HostUpgrade was = site.upgrade(ill.rollout(), host);
    assertThat(was.getState())
        .as("what it was quarantined for stays written")
        .isEqualTo(HostUpgradeState.Quarantined);
    assertThat(was.getReason()).contains("Health");
    assertThat(client.audit(back).getFindings())
        .allSatisfy(
            found ->
                assertThat(found.getVerdict())
                    .as(found.toString())
                    .isNotEqualTo(AuditVerdict.Violated));
  }

  private void arm(Kill kill, String host) {
    Runnable order = () -> server.dieAt(kill.point());
    switch (kill.moment()) {
      case ASKED -> order.run();
      case BEFORE_RESULT -> site.before(kill.step(), host, order);
      case AFTER_RESULT -> site.after(kill.step(), host, order);
    }
  }

  /** The rollout that brings the host back; empty if nobody answered. */
  private Optional<String> askedOnce(String host) {
    try {
      return Optional.of(once.returnHost(host, Optional.empty(), "new fan").getId());
    } catch (CallException lost) {
      assertThat(lost.isTemporary()).as(lost.toString()).isTrue();
      return Optional.empty();
    }
  }

  private void assertInService(String host) {
    site.until(
        host + " serves",
        () ->
            client.host(host).getInstances().stream()
                .allMatch(instance -> instance.getHealth() == HealthState.Healthy));
    Host seen = client.host(host);
    assertThat(seen.getRelease()).isEqualTo("2");
    assertThat(seen.hasLock()).isFalse();
  }

  private void assertOneReturn(String host, String back) {
    assertThat(rows(handle -> RolloutRows.returns(handle, host, "Upgraded"))).containsExactly(back);
    assertThat(rows(handle -> RolloutRows.jobsOfReturns(handle, host)))
        .containsExactly("Verify Done", "Health Done", "Recover Done");
    assertThat(rows(handle -> asked(handle, host))).hasSize(1);
    site.until("its history tells of the quarantine's end", () -> endedQuarantines(host) == 1);
  }

  private long endedQuarantines(String host) {
    return client.lockHistoryOfHost(host, 100).stream()
        .filter(entry -> entry.getChange().equals(LockChange.Ended.name()))
        .filter(entry -> LockKind.Quarantine.name().equals(entry.getKind()))
        .count();
  }

  private static List<String> asked(Handle handle, String host) {
    return handle
        .createQuery("SELECT principal FROM audit WHERE action = 'host.return' AND object = ?")
        .bind(0, "host/" + host)
        .mapTo(String.class)
        .list();
  }

  private List<String> rows(Function<Handle, List<String>> read) {
    return database.withHandle(read::apply);
  }
}
