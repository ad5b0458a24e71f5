package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.platform.testkit.TestApi.Answer;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
class LocksApiTest {
  private final LockBench at = new LockBench();

  @AfterEach
  void close() {
    at.close();
  }

  @Test
  void tryIsGrantedWithItsTokenAndEndedByItsHolderOnly() {
    String id =
        at.create(
            "kernel", "{\"hosts\":[\"h01\"],\"instances\":[\"web@h02\"],\"reason\":\"firmware\"}");

    Lock lock = at.get(id);
    assertThat(lock.getState()).isEqualTo(LockState.Held);
    assertThat(lock.getHosts()).containsExactly("h01", "h02");
    assertThat(lock.getToken()).isPositive();
    assertThat(lock.getHolder()).isEqualTo("kernel");
    assertThat(at.service.hostLock("h02").orElseThrow().id()).isEqualTo(id);

    Answer others = at.api.call("sre", "DELETE", "/api/locks/" + id, "");
    assertThat(others.status()).isEqualTo(403);
    assertThat(others.body()).contains("held by kernel: only they may end it");
    assertThat(at.renew("sre", id).status()).isEqualTo(403);
    assertThat(at.renew("kernel", id).status()).isEqualTo(200);
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(204);
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id, "").status())
        .as("again, as after a lost answer")
        .isEqualTo(204);
    assertThat(at.get(id).getState()).isEqualTo(LockState.Ended);
    assertThat(at.service.hostLock("h01")).isEmpty();
    assertThat(at.audit).hasSize(2);
    assertThat(at.audit.get(0))
        .startsWith("kernel ticket.create ticket/" + id)
        .contains("firmware");
    assertThat(at.audit.get(1)).startsWith("kernel lock.end ticket/" + id);
  }

  @Test
  void refusedTryNamesTheHolder() {
    at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"firmware\"}");

    Lock refused = at.get(at.create("sre", "{\"hosts\":[\"h01\",\"h02\"],\"reason\":\"disk\"}"));

    assertThat(refused.getState()).isEqualTo(LockState.Refused);
    assertThat(refused.getExplanation()).contains("h01 is held by kernel", "firmware");
    assertThat(refused.getHosts()).containsExactly("h01", "h02");
    assertThat(at.service.hostLock("h02")).as("all or none").isEmpty();
  }

  @Test
  void waiterSeesItsPlaceAndGetsItsTurn() {
    String first = at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"firmware\"}");
    String wait = "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}";
    String second = at.create("sre", wait);
    String third = at.create("kernel", wait);

    assertThat(at.get(second).getPosition()).isEqualTo(1);
    assertThat(at.get(third).getPosition()).isEqualTo(2);
    assertThat(at.get(second).getExplanation()).contains("held by kernel");
    assertThat(at.renew("sre", second).status()).isEqualTo(200);
    Answer all = at.api.call("viewer", "GET", "/api/locks?q=host&host=h01", "");
    assertThat(all.body()).contains(first, second, third);
    assertThat(at.api.call("viewer", "GET", "/api/locks?count=2", "").body())
        .contains(first, second, "\"total\":3")
        .doesNotContain(third);

    at.api.call("kernel", "DELETE", "/api/locks/" + first, "");
    at.until("its turn", () -> at.get(second).getState() == LockState.Held);
  }

  @Test
  void sameRequestIdIsTheSameTicketAndNotForOtherHosts() {
    String request = "{\"requestId\":\"r-1\",\"hosts\":[\"h01\"],\"reason\":\"firmware\"}";

    String id = at.create("kernel", request);

    assertThat(at.create("kernel", request)).isEqualTo(id);
    assertThat(at.create("sre", request)).as("somebody else's name for theirs").isNotEqualTo(id);
    Answer other = at.api.call("kernel", "POST", "/api/locks", request.replace("h01", "h02"));
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.body()).contains("REQUEST_ID_REUSED");
  }

  @Test
  void whoUsesUpARequestIdIsToldToTakeAnotherOneHoweverLateItAsksAgain() {
    String request = "{\"requestId\":\"nightly\",\"hosts\":[\"h01\"],\"reason\":\"firmware\"}";
    String id = at.create("kernel", request);
    at.api.call("kernel", "DELETE", "/api/locks/" + id + "?reason=done", "");
    String told = "ended by kernel: done (asking anew takes another request id)";

    assertThat(at.create("kernel", request)).isEqualTo(id);
    assertThat(at.get(id).getExplanation()).isEqualTo(told);
    at.forget("verdicts/" + id);

    assertThat(at.create("kernel", request)).as("its record stands").isEqualTo(id);
    assertThat(at.get(id).getState()).isEqualTo(LockState.Ended);
    assertThat(at.get(id).getExplanation()).isEqualTo(told);
    assertThat(at.renew("kernel", id).body()).contains("TICKET_OVER", id + " is over");
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(204);
  }

  @Test
  void lockBrokenOnItsFirstHostAloneStillTellsOfItsClient() {
    String id = at.create("kernel", "{\"hosts\":[\"h01\",\"h02\"],\"reason\":\"firmware\"}");

    at.service.holds().quarantine(id, "h01", "broken by admin");

    assertThat(at.get(id).isAlive()).isTrue();
    assertThat(at.get(id).getState()).isEqualTo(LockState.Held);
  }

  /** A hold has a record on each of its hosts, and all of their names in each. */
  @Test
  void moreThanEtcdCanEverGrantAtOnceIsRefused() {
    Answer answer =
        at.api.call(
            "kernel",
            "POST",
            "/api/locks",
            "{\"zones\":[\"large\"],\"reason\":\"firmware\",\"mode\":\"Wait\",\"hold\":true,\"maxSeconds\":7200}");

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains("TICKET_TOO_LARGE", "200 hosts", "--max-request-bytes", "fewer hosts");
    assertThat(at.service.table().tickets()).isEmpty();
    assertThat(at.audit).isEmpty();
  }

  @Test
  void namesAllFaultsAtOnce() {
    Answer answer =
        at.api.call(
            "kernel",
            "POST",
            "/api/locks",
            """
            {"hosts":["h01","h77","h01","h78"],"instances":["web@h99"],"reason":" ","leaseSeconds":1}\
            """);

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains("hosts[1]", "h77", "hosts[2]", "hosts[3]", "h78")
        .contains("instances[0]", "reason", "leaseSeconds");
    Answer misspelt =
        at.api.call("kernel", "POST", "/api/locks", "{\"hosts\":[\"h01\"],\"raeson\":\"x\"}");
    assertThat(misspelt.status()).isEqualTo(422);
    assertThat(misspelt.body()).contains("raeson", "reason");
    assertThat(at.service.table().tickets()).isEmpty();
    assertThat(at.audit).isEmpty();
  }

  @Test
  void boundsAreToldAndNothingIsTaken() {
    assertThat(refused("\"leaseSeconds\":3601")).contains("leaseSeconds", "between 5 and 3600");
    assertThat(refused("\"waitSeconds\":0,\"mode\":\"Wait\"")).contains("between 1 and 86400");
    assertThat(refused("\"maxSeconds\":-1")).contains("maxSeconds", "between 0 and 2592000");
    assertThat(refused("\"instances\":" + many(1000)))
        .contains(
            "stands for 1001 hosts, more than "
                + GrantorPass.Limits.HOSTS_PER_GRANT_MAX
                + ": split the work")
        .doesNotContain("there is no instance");
    assertThat(refused("\"applications\":[\"web\",\"wbe\"]"))
        .contains("applications[1]", "named wbe")
        .doesNotContain("applications[0]");
    assertThat(refused("\"requestId\":\"two words\"")).contains("requestId");
    assertThat(at.service.table().tickets()).isEmpty();
    assertThat(at.service.table().locks()).isEmpty();
    assertThat(at.audit).isEmpty();
  }

  @Test
  void aReasonIsATextThatEveryStoreKeeps() {
    String id = at.create("kernel", "{\"hosts\":[\"h02\"],\"reason\":\"two\\nlines, 50 €\"}");
    assertThat(at.get(id).getReason()).isEqualTo("two\nlines, 50 €");
    for (String bad : List.of("a\\u0000b", "a\\u001b[2Jb", "half \\ud83d", "x".repeat(501))) {
      Answer answer =
          at.api.call(
              "kernel", "POST", "/api/locks", "{\"hosts\":[\"h01\"],\"reason\":\"" + bad + "\"}");
      assertThat(answer.status()).as(bad).isEqualTo(422);
      assertThat(answer.body()).contains("\"reason\"");
    }
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id + "?reason=a%00b", "").status())
        .isEqualTo(422);
    assertThat(at.get(id).getState()).isEqualTo(LockState.Held);
    assertThat(at.audit).hasSize(1);
  }

  @Test
  void whatIsOverMovesNothingOfWhoeverCameAfter() {
    String old = at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\"}");
    at.api.call("kernel", "DELETE", "/api/locks/" + old, "");
    String next = at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");

    assertThat(at.renew("kernel", old).body()).contains("TICKET_OVER", old + " is over");
    assertThat(at.renew("kernel", old).status()).isEqualTo(409);
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + old, "").status()).isEqualTo(204);
    assertThat(at.get(next).getState()).isEqualTo(LockState.Held);
    assertThat(at.get(next).getToken()).isGreaterThan(0);
  }

  @Test
  void idsThatOnlyTheServersOwnClientsMakeAreNobodysHere() {
    for (String id : List.of("s~1", "t-1%2F0", "..%2Fcontrol")) {
      assertThat(at.api.call("sre", "GET", "/api/locks/" + id, "").status()).isEqualTo(404);
      assertThat(at.renew("sre", id).body()).contains("UNKNOWN_TICKET");
      assertThat(at.api.call("sre", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(404);
    }
    String id = at.create("sre", "{\"requestId\":\"s~1\",\"hosts\":[\"h01\"],\"reason\":\"x\"}");
    assertThat(id).as("a request's id is none of a ticket").doesNotContain("~");
  }

  private String refused(String field) {
    Answer answer =
        at.api.call(
            "kernel", "POST", "/api/locks", "{\"hosts\":[\"h01\"],\"reason\":\"x\"," + field + "}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(422);
    return answer.body();
  }

  private static String many(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "\"web@x" + i + "\"")
        .collect(Collectors.joining(",", "[", "]"));
  }

  @Test
  void onlyOperatorsAskAndNobodyEndsARunningBatch() {
    assertThat(
            at.api
                .call("viewer", "POST", "/api/locks", "{\"hosts\":[\"h01\"],\"reason\":\"x\"}")
                .status())
        .isEqualTo(403);
    at.candidates.want("c1", "h01");
    at.service.poke();
    at.until("granted", () -> at.candidates.committed.containsKey("g1"));

    assertThat(at.get("g1").getKind()).isEqualTo(LockKind.Batch);
    assertThat(at.get("g1").getStage()).isEqualTo("provisional");
    assertThat(at.api.call("admin", "DELETE", "/api/locks/g1", "").status()).isEqualTo(409);
    at.service.holds().quarantine("g1", "h01", "does not boot");
    assertThat(at.get("g1").getKind()).isEqualTo(LockKind.Quarantine);
    assertThat(at.api.call("sre", "DELETE", "/api/locks/g1", "").status()).isEqualTo(403);
    assertThat(at.api.call("admin", "DELETE", "/api/locks/g1?reason=replaced", "").status())
        .isEqualTo(204);
    assertThat(at.service.hostLock("h01")).isEmpty();
  }

  @Test
  void unknownTicketIsNotFound() {
    assertThat(at.api.call("viewer", "GET", "/api/locks/nothing", "").status()).isEqualTo(404);
  }

  @Test
  void faultZoneStandsForItsHosts() {
    String id = at.create("kernel", "{\"zones\":[\"z1\"],\"hosts\":[\"h01\"],\"reason\":\"pdu\"}");
    assertThat(at.get(id).getHosts()).containsExactly("h01", "h02", "h03");

    Answer none =
        at.api.call(
            "kernel",
            "POST",
            "/api/locks",
            "{\"zones\":[\"z1\"],\"applications\":[\"db\"],\"reason\":\"pdu\"}");
    assertThat(none.status()).isEqualTo(422);
    assertThat(none.body()).contains("zones[0]", "z1 of db");
  }

  @Test
  void tellsOrderLivenessAndFindsByHolderAndState() {
    String held = at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"x\",\"leaseSeconds\":60}");
    String wait = "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}";
    String second = at.create("sre", wait);
    String third = at.create("kernel", wait);

    Lock lock = at.get(held);
    assertThat(lock.isAlive()).isTrue();
    assertThat(lock.getLeaseSecondsLeft()).isBetween(1, 60);
    assertThat(lock.hasOrder()).isFalse();
    assertThat(revision(second)).isLessThan(revision(third));
    assertThat(at.get(second).getDeadline()).isGreaterThan(System.currentTimeMillis());
    assertThat(at.get(second).hasAlive()).isFalse();

    assertThat(list("q=holder&holder=kernel"))
        .contains(held, third)
        .doesNotContain("\"id\":\"" + second);
    assertThat(list("q=state&state=Waiting"))
        .contains(second, third)
        .doesNotContain("\"id\":\"" + held);
    assertThat(list("q=state&state=Held")).contains(held).doesNotContain("\"id\":\"" + second);
    assertThat(list("q=state&state=Gone")).contains("422", "Waiting, Held or Lapsed");
  }

  private long revision(String id) {
    return Objects.requireNonNull(at.get(id).getOrder()).getRevision();
  }

  private String list(String query) {
    Answer answer = at.api.call("viewer", "GET", "/api/locks?" + query, "");
    return answer.status() + answer.body();
  }
}
