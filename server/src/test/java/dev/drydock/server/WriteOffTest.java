package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.LockState;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * A host that does not come back keeps others waiting, by the budget of one application and the
 * fault zones of another, until people write it off; on a real server with real policies. That the
 * others wait before, and again after it was taken back, is the control.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class WriteOffTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private TestServer server;
  private DrydockClient client;
  private SmallSite site;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    client =
        new DrydockClient(ClientConfig.of(server.address(""), token).withCallTimeout(PATIENCE));
    site = new SmallSite(client);
    site.put("web@dead", "web", "dead", "a", false);
    site.put("cell@dead", "cell", "dead", "a", false);
    for (int number = 1; number <= 2; number++) {
      site.put("web@web" + number, "web", "web" + number, "a", true);
      site.put("cell@cell" + number, "cell", "cell" + number, "b", true);
    }
    site.put("old@lost", "old", "lost", "a", false);
    site.put("old@busy", "old", "busy", "a", false);
    site.start();
    policy("old", "maxUnavailable: 100%");
    policy("web", "maxUnavailable: 1");
    policy("cell", "maxZonesInFlight: 1");
  }

  @AfterAll
  void close() throws Exception {
    site.close();
    client.close();
    server.close();
  }

  @Test
  void noBudgetAndNoZoneWaitsForAHostThatIsWrittenOff() {
    String first = site.rollout("web1", "cell1");
    untilBothWait("web1", "cell1");
    client.writeOffHost("dead", "burnt");
    untilUpgraded(first, "web1");
    untilUpgraded(first, "cell1");

    client.undoWriteOff("dead");
    site.report();
    String second = site.rollout("web2", "cell2");
    untilBothWait("web2", "cell2");
    client.writeOffHost("dead", "burnt indeed");
    untilUpgraded(second, "web2");
    untilUpgraded(second, "cell2");
  }

  @Test
  void nobodyWorksOnAHostThatIsWrittenOff() {
    client.writeOffHost("lost", "burnt");
    String way = "lost is written off: burnt; take that back";
    assertThatThrownBy(() -> site.rollout("lost", "busy"))
        .isInstanceOfSatisfying(
            CallException.class,
            refusal ->
                assertThat(refusal.details())
                    .singleElement()
                    .satisfies(detail -> assertThat(detail.getMessage()).contains(way)));
    refused("WRITTEN_OFF", way, () -> client.returnHost("lost", Optional.empty(), "new board"));
    client.undoWriteOff("lost");
    site.report();
    refused(
        "NOT_QUARANTINED",
        "lost is not quarantined",
        () -> client.returnHost("lost", Optional.empty(), "new board"));
    assertThat(site.rollout("lost")).as("the control: it may be named again").isNotEmpty();
  }

  @Test
  void aHostThatSomebodyWorksOnIsNotWrittenOff() {
    String lock =
        client.createTicket(
            new TicketRequest()
                .setMode(TicketMode.Wait)
                .setHosts(new StringArray("busy"))
                .setReason("a new board")
                .setLeaseSeconds(60));
    site.until("somebody has it", () -> client.lock(lock).getState() == LockState.Held);
    refused(
        "HOST_LOCKED",
        "admin works on busy (lock %s, a new board); write it off when that has ended"
            .formatted(lock),
        () -> client.writeOffHost("busy", "burnt"));
    client.releaseLock(lock, "no board fits");
    site.until(
        "the control: nobody has it any more",
        () -> client.locksOfHost("busy").stream().noneMatch(one -> one.getId().equals(lock)));
    assertThat(client.writeOffHost("busy", "burnt")).contains("no budget and no zone waits for it");
  }

  private static void refused(String code, String says, Runnable asked) {
    assertThatThrownBy(asked::run)
        .isInstanceOfSatisfying(
            CallException.class, refusal -> assertThat(refusal.code()).isEqualTo(code))
        .hasMessageContaining(says);
  }

  private void policy(String application, String rule) {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: %s, team: t}
        spec: {applications: [%s], capacity: [{%s}]}
        """
            .formatted(application, application, rule));
  }

  private void untilBothWait(String web, String cell) {
    site.until(
        web + " waits for the budget", () -> waits(web, "application web: maxUnavailable 1"));
    site.until(
        cell + " waits for the zone", () -> waits(cell, "application cell: maxZonesInFlight 1"));
    assertThat(site.done(web)).as("nothing was begun on it").doesNotContain("Drain");
    assertThat(site.done(cell)).as("nothing was begun on it").doesNotContain("Drain");
  }

  private boolean waits(String host, String why) {
    return client.hostDecisions(host, Long.MAX_VALUE, 20).stream()
        .map(HostDecision::getReason)
        .anyMatch(reason -> reason.contains(why) && reason.contains("dead"));
  }

  private void untilUpgraded(String rollout, String host) {
    site.until(
        host + " is upgraded",
        () -> site.upgrade(rollout, host).getState() == HostUpgradeState.Upgraded);
  }
}
