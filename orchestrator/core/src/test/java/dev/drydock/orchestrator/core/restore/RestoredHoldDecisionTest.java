package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.LockRecord.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of a host in the union of what both stores know. */
class FateTest {
  @Test
  void whatBothHaveIsRead() {
    assertThat(Fate.of(Optional.of(Kind.BATCH))).isEqualTo(Fate.READ);
  }

  @Test
  void whatOnlyRowsHaveIsLockedAgain() {
    assertThat(Fate.of(Optional.empty())).isEqualTo(Fate.LOCK);
  }

  @Test
  void whatPeopleHaveStaysTheirs() {
    assertThat(Fate.of(Optional.of(Kind.QUARANTINE))).isEqualTo(Fate.QUARANTINE);
  }
}
