package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.LockRecord.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What becomes of a host in the union of what both stores know. */
class FateTest {
  private static final Optional<Kind> NONE = Optional.empty();
  private static final Optional<Kind> BATCH = Optional.of(Kind.BATCH);
  private static final Optional<Kind> QUARANTINE = Optional.of(Kind.QUARANTINE);

  @Test
  void whatBothHaveIsRead() {
    assertThat(Fate.of(true, BATCH, true)).isEqualTo(Fate.READ);
  }

  @Test
  void whatOnlyRowsHaveIsLockedAgain() {
    assertThat(Fate.of(true, NONE, true)).isEqualTo(Fate.LOCK);
  }

  @Test
  void whatOnlyEtcdHasIsAdoptedWhereItsRolloutIsKnown() {
    assertThat(Fate.of(false, BATCH, true)).isEqualTo(Fate.ADOPT);
    assertThat(Fate.of(false, BATCH, false)).isEqualTo(Fate.QUARANTINE);
  }

  @Test
  void whatPeopleHaveStaysTheirs() {
    assertThat(Fate.of(true, QUARANTINE, true)).isEqualTo(Fate.QUARANTINE);
    assertThat(Fate.of(false, QUARANTINE, true)).isEqualTo(Fate.QUARANTINE);
  }
}
