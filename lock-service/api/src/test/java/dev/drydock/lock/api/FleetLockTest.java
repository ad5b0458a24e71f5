package dev.drydock.lock.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.util.Base64;
import java.util.Collections;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Hosts that speak FleetLock, over the real door and a real etcd. */
@Tag("stack")
class FleetLockTest {
  private final LockBench at = new LockBench();

  @AfterEach
  void close() {
    at.close();
  }

  @Test
  void grantsTheSameIdTheSameAnswerAndEndsItByTheSteadyState() {
    assertThat(reboot("machine-1")).isEqualTo("200 {}");
    LockRecord hold = at.service.hostLock("h01").orElseThrow();
    assertThat(hold.kind()).isEqualTo(LockRecord.Kind.FLEETLOCK);
    assertThat(reboot("machine-1")).as("again").isEqualTo("200 {}");
    assertThat(reboot("h01")).as("the same host by its name").isEqualTo("200 {}");
    assertThat(at.service.hostLock("h01").orElseThrow()).isEqualTo(hold);
    Lock shown = at.get(hold.id());
    assertThat(shown.getKind()).isEqualTo(LockKind.FleetLock);
    assertThat(shown.getMaxSeconds()).isEqualTo(3600);
    assertThat(shown.getReason()).contains("group workers");
    assertThat(shown.hasAlive()).as("no lease").isFalse();

    assertThat(steady("machine-1")).isEqualTo("200 {}");
    assertThat(at.service.hostLock("h01")).isEmpty();
    assertThat(steady("machine-1")).as("none").isEqualTo("200 {}");
    assertThat(reboot("machine-1")).as("at once again").isEqualTo("200 {}");
    assertThat(at.audit.get(0)).startsWith("hosts fleetlock.reboot ticket/fl-");
    assertThat(at.audit.get(1)).startsWith("hosts fleetlock.steady ticket/fl-");
    assertThat(at.told)
        .as("each time: it is about to reboot again")
        .containsExactly("h01 asks", "h01 asks", "h01 asks", "h01 asks");
  }

  @Test
  void waitsBehindAnotherLockAndIsGrantedOnlyInTheAnswerToItsOwnPoll() {
    String other =
        at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    assertThat(reboot("h01")).startsWith("409 ").contains("failed_lock", "h01 is held by kernel");
    String later = at.create("sre", "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}");

    at.api.call("kernel", "DELETE", "/api/locks/" + other, "");
    at.until(
        "reserved for it",
        () -> at.get(later).getExplanation().contains("awaited by hosts, who came first"));
    assertThat(at.service.hostLock("h01")).as("nobody is asking").isEmpty();

    assertThat(reboot("h01")).isEqualTo("200 {}");
    assertThat(at.get(later).getState()).isEqualTo(LockState.Waiting);
    steady("h01");
    at.until("its turn", () -> at.get(later).getState() == LockState.Held);
  }

  @Test
  void firstPollsOfAHostAtOnceAreOneTicket() throws Exception {
    at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    Callable<String> poll = () -> reboot("h01");
    try (ExecutorService polls = Executors.newVirtualThreadPerTaskExecutor()) {
      for (var answer : polls.invokeAll(Collections.nCopies(12, poll))) {
        assertThat(answer.get()).startsWith("409 ").contains("h01 is held by kernel");
      }
    }
    assertThat(at.service.table().tickets()).hasSize(1);
  }

  @Test
  void whoWithdrewMayAskAgainAtOnce() {
    at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    for (int i = 0; i < 2; i++) {
      assertThat(reboot("h01")).startsWith("409 ").contains("h01 is held by kernel");
      assertThat(at.service.table().tickets()).hasSize(1);
      assertThat(steady("h01")).isEqualTo("200 {}");
      assertThat(at.service.table().tickets()).isEmpty();
    }
  }

  @Test
  void whoDoesNotPollAnyMoreLosesItsPlace() {
    String other =
        at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    reboot("h01");
    String later = at.create("sre", "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}");
    at.api.call("kernel", "DELETE", "/api/locks/" + other, "");

    at.until("passed on", () -> at.get(later).getState() == LockState.Held);
    assertThat(at.service.table().tickets()).isEmpty();
  }

  @Test
  void theSteadyStateOfAWaiterWithdrawsIt() {
    at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    reboot("h01");
    assertThat(at.service.table().tickets()).hasSize(1);
    assertThat(steady("h01")).isEqualTo("200 {}");
    assertThat(at.service.table().tickets()).isEmpty();
    assertThat(at.service.hostLock("h01").orElseThrow().holder())
        .as("of others nothing is ended")
        .isEqualTo("kernel");
  }

  @Test
  void saysWhatIsWrongInTheWordsOfTheProtocol() {
    String body = body("h01");
    assertThat(send("hosts", "/v1/pre-reboot", body, Optional.empty()))
        .startsWith("400 ")
        .contains("\"kind\":\"missing_header\"", "fleet-lock-protocol");
    assertThat(call("/v1/pre-reboot", "{\"client_params\":{\"id\":\"h01\"}}"))
        .startsWith("400 ")
        .contains("bad_request", "client_params.group");
    assertThat(call("/v1/pre-reboot", "nothing")).startsWith("400 ").contains("bad_request");
    assertThat(reboot("h77")).startsWith("404 ").contains("unknown_host", "fleetlock-id=h77");
    assertThat(reboot("twice")).startsWith("409 ").contains("ambiguous_host", "h02, h03");
    assertThat(send("viewer", "/v1/pre-reboot", body, Optional.of("true"))).startsWith("403 ");
    assertThat(at.api.call("hosts", "GET", "/v1/pre-reboot", "").status()).isEqualTo(405);
    assertThat(at.service.table().tickets()).isEmpty();
  }

  @Test
  void takesTheTokenAsAPasswordWhereNothingElseCanBeSent() {
    String pair = "host:" + TestApi.token("hosts");
    String basic = "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
    Answer answer =
        at.api.send(
            at.api
                .request("POST", "/v1/steady-state", body("h01"))
                .header("fleet-lock-protocol", "true")
                .header("Authorization", basic)
                .build());
    assertThat(answer.status()).isEqualTo(200);
    Answer elsewhere =
        at.api.send(at.api.request("GET", "/api/locks", "").header("Authorization", basic).build());
    assertThat(elsewhere.status()).as("only there").isEqualTo(401);
  }

  @Test
  void aFrozenFleetRebootsNothing() {
    at.api.call("sre", "PUT", "/api/freeze", "{\"reason\":\"bad kernel\"}");
    assertThat(reboot("h01")).startsWith("409 ").contains("frozen by sre (bad kernel)");
    at.api.call("sre", "DELETE", "/api/freeze?reason=over", "");
    assertThat(reboot("h01")).isEqualTo("200 {}");
  }

  @Test
  void anOpenPollIsClosedBeforeItIsAnsweredThatItHasToWait() {
    at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    reboot("h01");
    assertThat(at.service.table().tickets())
        .singleElement()
        .extracting(Ticket::askingUntil)
        .isEqualTo(Optional.empty());
  }

  private String reboot(String id) {
    return at.fleetLock("/v1/pre-reboot", id);
  }

  private String steady(String id) {
    return at.fleetLock("/v1/steady-state", id);
  }

  private static String body(String id) {
    return "{\"client_params\":{\"id\":\"" + id + "\",\"group\":\"workers\"}}";
  }

  private String call(String path, String body) {
    return send("hosts", path, body, Optional.of("true"));
  }

  private String send(String principal, String path, String body, Optional<String> protocol) {
    var request =
        at.api
            .request("POST", path, body)
            .header("Authorization", "Bearer " + TestApi.token(principal));
    protocol.ifPresent(version -> request.header("fleet-lock-protocol", version));
    Answer answer = at.api.send(request.build());
    return answer.status() + " " + answer.body();
  }
}
