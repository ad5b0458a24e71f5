package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Freeze;
import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
class FreezeApiTest {
  private static final String BAD_KERNEL = "{\"reason\":\"bad kernel\"}";

  private final LockBench at = new LockBench();

  @AfterEach
  void close() {
    at.close();
  }

  @Test
  void frozenFleetRefusesATryAndKeepsAWaiterUntilItMoves() {
    assertThat(status().isFrozen()).isFalse();
    assertThat(freeze("sre", BAD_KERNEL).status()).isEqualTo(204);

    Freeze frozen = status();
    assertThat(frozen.isFrozen()).isTrue();
    assertThat(frozen.getBy()).isEqualTo("sre");
    assertThat(frozen.getReason()).isEqualTo("bad kernel");
    assertThat(frozen.getSince()).isPositive();
    Lock refused = at.get(at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"disk\"}"));
    assertThat(refused.getState()).isEqualTo(LockState.Refused);
    assertThat(refused.getExplanation()).contains("the fleet is frozen by sre (bad kernel)");
    String waiter =
        at.create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}");
    at.until("told", () -> at.get(waiter).getExplanation().contains("frozen by sre"));

    assertThat(unfreeze("kernel", "withdrawn").status()).isEqualTo(204);
    at.until("granted", () -> at.get(waiter).getState() == LockState.Held);
    assertThat(status().isFrozen()).isFalse();
    assertThat(at.audit).hasSize(4);
    assertThat(at.audit.getFirst()).startsWith("sre fleet.freeze freeze").contains("bad kernel");
    assertThat(at.audit.getLast())
        .startsWith("kernel fleet.unfreeze freeze")
        .contains("withdrawn", "\"frozenBy\":\"sre\"");
  }

  @Test
  void anotherMayNotTakeOverABrakeAndTheSameAgainChangesNothing() {
    freeze("sre", BAD_KERNEL);
    Freeze first = status();

    assertThat(freeze("sre", BAD_KERNEL).status()).as("as after a lost answer").isEqualTo(204);
    Answer other = freeze("kernel", "{\"reason\":\"my own\"}");
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.body()).contains("ALREADY_FROZEN", "sre", "bad kernel");
    assertThat(status()).isEqualTo(first);

    assertThat(unfreeze("sre", "withdrawn").status()).isEqualTo(204);
    assertThat(unfreeze("sre", "withdrawn").status()).isEqualTo(204);
    assertThat(at.audit).hasSize(2);
  }

  @Test
  void aRepeatedUnfreezeDoesNotLiftTheBrakeOfSomebodyElse() {
    freeze("sre", BAD_KERNEL);
    String lifting = "withdrawn&since=" + status().getSince();
    assertThat(unfreeze("sre", lifting).status()).isEqualTo(204);
    assertThat(unfreeze("sre", lifting).status()).as("as after a lost answer").isEqualTo(204);

    at.until("another time", () -> !lifting.endsWith("=" + System.currentTimeMillis()));
    freeze("kernel", "{\"reason\":\"bad disks\"}");
    Answer late = unfreeze("sre", lifting);
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.body()).contains("ANOTHER_FREEZE", "frozen by kernel (bad disks) since");
    assertThat(status().isFrozen()).isTrue();
    assertThat(at.audit).as("of what was done").hasSize(3);
    assertThat(unfreeze("kernel", "replaced&since=" + status().getSince()).status()).isEqualTo(204);
  }

  @Test
  void needsAReasonAndTheRole() {
    assertThat(freeze("viewer", BAD_KERNEL).status()).isEqualTo(403);
    assertThat(freeze("sre", "{\"reason\":\" \"}").status()).isEqualTo(422);
    assertThat(freeze("sre", "{}").body()).contains("reason");
    assertThat(freeze("sre", "{\"reason\":\"a\\u0000b\"}").status()).isEqualTo(422);
    assertThat(status().isFrozen()).isFalse();

    freeze("sre", BAD_KERNEL);
    assertThat(unfreeze("viewer", "x").status()).isEqualTo(403);
    assertThat(unfreeze("sre", "%20").status()).isEqualTo(422);
    assertThat(at.api.call("sre", "DELETE", "/api/freeze", "").status()).isEqualTo(400);
    assertThat(status().isFrozen()).isTrue();
  }

  private Freeze status() {
    return Json.read(at.api.call("viewer", "GET", "/api/freeze", "").body(), Freeze.class);
  }

  private Answer freeze(String principal, String body) {
    return at.api.call(principal, "PUT", "/api/freeze", body);
  }

  private Answer unfreeze(String principal, String reason) {
    return at.api.call(principal, "DELETE", "/api/freeze?reason=" + reason, "");
  }
}
