package dev.drydock.orchestrator.inventory.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Host;
import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HostLocksTest {
  private static final Instant UNTIL = Instant.ofEpochMilli(61_000);

  @Test
  void tellsOfALockWhoseClientIsGoneUntilWhenItExcludes() {
    Lock held = shown(Set.of("t1"), Map.of());
    assertThat(held.getState()).isEqualTo(LockState.Held);
    assertThat(held.isAlive()).isTrue();
    assertThat(held.hasExcludesUntil()).isFalse();

    Lock expired = shown(Set.of(), Map.of());
    assertThat(expired.getState()).isEqualTo(LockState.Held);
    assertThat(expired.isAlive()).isFalse();
    assertThat(expired.getExcludesUntil()).isEqualTo(UNTIL.toEpochMilli());

    EndedLock noted = new EndedLock("h1", "t1", 7, 9, "grantor", "lapsed");
    Lock lapsed = shown(Set.of(), Map.of("h1", noted));
    assertThat(lapsed.getState()).isEqualTo(LockState.Lapsed);
    assertThat(lapsed.isAlive()).isFalse();
    assertThat(lapsed.hasExcludesUntil()).isFalse();
  }

  private static Lock shown(Set<String> alive, Map<String, EndedLock> ended) {
    LockRecord lock =
        new LockRecord(
            "t1",
            LockRecord.Kind.SESSION,
            LockRecord.Stage.OPEN,
            "h1",
            List.of("h1"),
            List.of(),
            "ann",
            "disk",
            Optional.empty(),
            0,
            0,
            7);
    LockTable table = new LockTable(9, Map.of("h1", lock), List.of(), ended, alive);
    Host host = new Host().setName("h1");
    HostLocks.show(table, one -> Optional.of(UNTIL), host);
    return Objects.requireNonNull(host.getLock());
  }
}
