package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.platform.testkit.TestApi.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("stack")
class BreakGlassApiTest {
  private static final String GONE = "{\"kind\":\"HolderGone\",\"reason\":\"laptop stolen\"}";

  private final LockBench at = new LockBench();

  @AfterEach
  void close() {
    at.close();
  }

  @Test
  void brokenSessionExcludesUntilAnAdministratorEndsTheQuarantine() {
    String id = at.create("kernel", "{\"hosts\":[\"h01\",\"h02\"],\"reason\":\"firmware\"}");
    String waiter = at.create("sre", "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}");
    assertThat(at.api.call("admin", "DELETE", "/api/locks/" + id, "").body())
        .as("an administrator does not end what somebody alive holds")
        .contains("NOT_YOURS", "breakGlass");

    assertThat(breakGlass("admin", id, GONE).status()).isEqualTo(200);

    Lock broken = at.get(id);
    assertThat(broken.getKind()).isEqualTo(LockKind.Quarantine);
    assertThat(broken.getHosts()).containsExactly("h01", "h02");
    assertThat(broken.getReason()).isEqualTo("broken by admin (HolderGone): laptop stolen");
    assertThat(at.renew("kernel", id).body())
        .as("its holder is told")
        .contains("LOCK_BROKEN", "laptop stolen");
    assertThat(at.get(waiter).getState()).isEqualTo(LockState.Waiting);
    assertThat(at.told).as("no batch").isEmpty();
    assertThat(at.audit.getLast())
        .startsWith("admin lock.breakGlass ticket/" + id)
        .contains("HolderGone", "laptop stolen", "kernel", "h02");

    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id, "").body())
        .as("nor does who had it")
        .contains("NOT_YOURS", "is a quarantine: only an administrator");
    int rows = at.audit.size();
    assertThat(breakGlass("admin", id, GONE).status()).as("again").isEqualTo(200);
    assertThat(at.audit).hasSize(rows);
    assertThat(at.api.call("admin", "DELETE", "/api/locks/" + id + "?reason=read", "").status())
        .isEqualTo(204);
    at.until("its turn", () -> at.get(waiter).getState() == LockState.Held);
    assertThat(at.get(id).getState()).isEqualTo(LockState.Ended);
    assertThat(at.get(id).getExplanation()).isEqualTo("ended by admin: read");
  }

  /** As it is when the server dies in the middle of it. */
  @ParameterizedTest
  @ValueSource(strings = {"h01", "h02"})
  void whoeverLostOneHostStopsAndMayGiveTheOtherBack(String broken) {
    String other = broken.equals("h01") ? "h02" : "h01";
    String id = at.create("kernel", "{\"hosts\":[\"h01\",\"h02\"],\"reason\":\"firmware\"}");
    String waits = "{\"hosts\":[\"%s\"],\"reason\":\"disk\",\"mode\":\"Wait\"}";
    String waiter = at.create("sre", waits.formatted(other));

    at.service.holds().quarantine(id, broken, "broken by admin");

    assertThat(at.renew("kernel", id).body()).contains("LOCK_BROKEN", "from you on " + broken);
    assertThat(at.api.call("admin", "DELETE", "/api/locks/" + id, "").body()).contains("NOT_YOURS");
    assertThat(at.get(waiter).getState()).isEqualTo(LockState.Waiting);
    assertThat(at.api.call("kernel", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(204);
    at.until("its turn", () -> at.get(waiter).getState() == LockState.Held);
    assertThat(at.get(id).getHosts()).as("is still quarantined").containsExactly(broken);
    assertThat(at.get(id).getKind()).isEqualTo(LockKind.Quarantine);
  }

  @Test
  void claimsOfABatchAreBarredBeforeItsHostsAreQuarantined() {
    at.candidates.want("c1", "h01", "h03");
    at.service.poke();
    at.until("granted", () -> at.candidates.committed.containsKey("g1"));

    assertThat(breakGlass("admin", "g1", GONE).status()).isEqualTo(200);

    assertThat(at.told).containsExactly("bar g1 BATCH", "broken g1 QUARANTINE");
    assertThat(at.get("g1").getKind()).isEqualTo(LockKind.Quarantine);
    assertThat(breakGlass("admin", "g1", GONE).status()).isEqualTo(200);
    assertThat(at.told).as("what was begun is finished").hasSize(4);
  }

  @Test
  void needsTheRoleAKindAReasonAndALock() {
    String id = at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"firmware\"}");
    String waiter = at.create("sre", "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}");

    assertThat(breakGlass("sre", id, GONE).status()).isEqualTo(403);
    assertThat(breakGlass("admin", id, "{\"kind\":\"HolderGone\",\"reason\":\" \"}").status())
        .isEqualTo(422);
    assertThat(breakGlass("admin", id, "{\"kind\":\"Bored\",\"reason\":\"x\"}").status())
        .isEqualTo(422);
    assertThat(breakGlass("admin", id, "{\"reason\":\"x\"}").body()).contains("kind");
    assertThat(breakGlass("admin", waiter, GONE).body()).contains("NOT_A_LOCK");
    assertThat(breakGlass("admin", "nothing", GONE).status()).isEqualTo(404);
    assertThat(at.get(id).getKind()).isEqualTo(LockKind.Session);
  }

  private Answer breakGlass(String principal, String id, String body) {
    return at.api.call(principal, "POST", "/api/locks/" + id + "?action=breakGlass", body);
  }
}
