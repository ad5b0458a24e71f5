package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Verdict;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Holds of people, declared maxima and advisory clients, under a budget of one host. */
@Tag("stack")
class ClientKindsTest {
  private static final Admission ONE_HOST =
      table ->
          (Collection<String> hosts,
              Collection<String> applications,
              Collection<LockRecord> held) -> {
            boolean fits = hosts.size() + held.size() <= 1;
            return new Verdict(
                fits ? Verdict.Decision.GRANT : Verdict.Decision.WAIT,
                fits ? "fits" : "web would fall below 9",
                List.of());
          };

  private final LockBench at = new LockBench(ONE_HOST);

  @AfterEach
  void close() {
    at.close();
  }

  @Test
  void holdOfAPersonHasNoLeaseAndIsItsOwn() {
    String id = at.create("kernel", hold("h01"));
    at.until("held", () -> at.get(id).getState() == LockState.Held);

    Lock lock = at.get(id);
    assertThat(lock.getKind()).isEqualTo(LockKind.Maintenance);
    assertThat(lock.hasAlive()).isFalse();
    assertThat(lock.getStage()).as("of batches only").isEmpty();
    assertThat(lock.hasGrant()).isFalse();
    assertThat(lock.getMaxSeconds()).isEqualTo(7200);
    assertThat(lock.getEndsAt()).isEqualTo(Objects.requireNonNull(lock.getGrantedAt()) + 7_200_000);
    assertThat(at.create("kernel", hold("h01"))).as("the same request").isEqualTo(id);
    assertThat(at.renew("kernel", id).body()).contains("NOT_A_SESSION");
    assertThat(at.api.call("sre", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(403);
    assertThat(at.api.call("admin", "DELETE", "/api/locks/" + id, "").body())
        .contains("breakGlass");
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(204);
    assertThat(at.service.hostLock("h01")).isEmpty();
  }

  @Test
  void holdWaitsItsTurnAndIsRenewedMeanwhile() {
    String first = at.create("sre", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    String id = at.create("kernel", hold("h01"));
    assertThat(at.get(id).getState()).isEqualTo(LockState.Waiting);
    assertThat(at.get(id).getKind()).isEqualTo(LockKind.Maintenance);
    assertThat(at.get(at.create("sre", "{\"hosts\":[\"h01\"],\"reason\":\"x\"}")).getExplanation())
        .contains("h01 is held by sre (session lock " + first);
    long deadline = Objects.requireNonNull(at.get(id).getDeadline());

    assertThat(at.renew("kernel", id).status()).isEqualTo(200);
    assertThat(at.get(id).getDeadline()).isGreaterThan(deadline);
    at.api.call("sre", "DELETE", "/api/locks/" + first, "");
    at.until("held", () -> at.get(id).getState() == LockState.Held);

    Answer tried = at.api.call("kernel", "POST", "/api/locks", hold("h02").replace("Wait", "Try"));
    assertThat(tried.status()).isEqualTo(422);
    assertThat(tried.body()).contains("has to be Wait for a hold");
  }

  @Test
  void advisoryClientTakesAHostOverTheBudgetAndItIsTold() {
    at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    String body = "{\"hosts\":[\"h02\"],\"reason\":\"CVE-1\",\"leaseSeconds\":60}";
    assertThat(at.get(at.create("sre", body)).getState()).isEqualTo(LockState.Refused);

    Lock lock = at.get(at.create("cve", body));

    assertThat(lock.getState()).isEqualTo(LockState.Held);
    assertThat(lock.isAdvisory()).isTrue();
    assertThat(lock.getReason()).isEqualTo("CVE-1 (advisory, although web would fall below 9)");
    Lock same = at.get(at.create("cve", body.replace("h02", "h01")));
    assertThat(same.getState()).as("a host is exclusive all the same").isEqualTo(LockState.Refused);
  }

  @Test
  void sessionLapsesWhenItsDeclaredMaximumIsOver() {
    String id =
        at.create(
            "kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":5,\"maxSeconds\":2}");
    assertThat(at.get(id).getState()).isEqualTo(LockState.Held);
    assertThat(at.get(id).getMaxSeconds()).isEqualTo(2);
    assertThat(at.get(id).hasLapsedAt()).isFalse();

    at.until(
        "over, although it is renewed",
        () -> {
          at.renew("kernel", id);
          return Boolean.FALSE.equals(at.get(id).isAlive());
        });
    assertThat(at.get(id).getState()).as("its client may not know").isEqualTo(LockState.Held);
    assertThat(at.get(id).hasExcludesUntil()).isTrue();
    assertThat(at.get(id).getExplanation()).contains("its client is gone");
    assertThat(at.api.call("admin", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(403);
    at.until("a lease later", () -> at.get(id).getState() == LockState.Lapsed);
    assertThat(at.get(id).hasExcludesUntil()).isFalse();
    assertThat(at.get(id).getLapsedAt()).isEqualTo(LockBench.LAPSED_AT.toEpochMilli());
    assertThat(at.renew("kernel", id).body())
        .contains("LOCK_LAPSED", "stop the work, release it (drydock lock release " + id + ")");
    assertThat(at.api.call("kernel", "POST", "/api/locks", tooLong()).body())
        .contains("maxSeconds", "2592000");
  }

  private static String tooLong() {
    return "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"maxSeconds\":9999999}";
  }

  private static String hold(String host) {
    return "{\"requestId\":\"r1\",\"hosts\":[\""
        + host
        + "\"],\"reason\":\"new disk\",\"mode\":\"Wait\",\"hold\":true,\"maxSeconds\":7200}";
  }
}
