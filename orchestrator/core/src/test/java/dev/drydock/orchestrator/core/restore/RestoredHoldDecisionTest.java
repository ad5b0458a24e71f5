package dev.drydock.orchestrator.core.restore;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.LockRecord.Kind;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What recovery does about a host, by what rows and etcd say of it. */
class RestoredHoldDecisionTest {
  @Test
  void whatBothHaveIsRead() {
    assertThat(RestoredHoldDecision.of(Optional.of(Kind.BATCH)))
        .isEqualTo(RestoredHoldDecision.READ);
  }

  @Test
  void whatOnlyRowsHaveIsLockedAgain() {
    assertThat(RestoredHoldDecision.of(Optional.empty())).isEqualTo(RestoredHoldDecision.LOCK);
  }

  @Test
  void whatPeopleHaveStaysTheirs() {
    assertThat(RestoredHoldDecision.of(Optional.of(Kind.QUARANTINE)))
        .isEqualTo(RestoredHoldDecision.QUARANTINE);
  }
}
