package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.StoreTime.Now;
import dev.drydock.orchestrator.recovery.StoreAgreement.Agreed;
import dev.drydock.orchestrator.recovery.StoreAgreement.Behind;
import dev.drydock.orchestrator.recovery.StoreAgreement.Rows;
import dev.drydock.orchestrator.recovery.StoreAgreement.Store;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which of two stores was restored, told from their beats alone. */
class StoreAgreementTest {

  /** What is written one after the other: taken, kept in etcd, acknowledged. */
  private record Moment(long acknowledged, long kept, long taken, long epoch) {
    Rows rows() {
      return new Rows(acknowledged, taken, epoch);
    }

    Now etcd() {
      return new Now(kept, epoch, 0);
    }
  }

  private static List<Moment> life() {
    List<Moment> moments = new ArrayList<>(List.of(new Moment(0, 0, 0, 1)));
    for (long beat = 1; beat <= 40; beat++) {
      Moment last = moments.getLast();
      boolean wasted = beat % 7 == 0; // A proposal that came to nothing.
      moments.add(new Moment(last.acknowledged(), last.kept(), beat, 1));
      if (!wasted) {
        moments.add(new Moment(last.acknowledged(), beat, beat, 1));
        if (beat % 5 != 0) { // A death before it could be acknowledged.
          moments.add(new Moment(beat, beat, beat, 1));
        }
      }
    }
    return moments;
  }

  @Test
  void aDeathBetweenAnyTwoWritesIsAgreement() {
    for (Moment moment : life()) {
      assertThat(StoreAgreement.of(moment.rows(), moment.etcd()))
          .as("%s", moment)
          .isInstanceOf(Agreed.class);
    }
  }

  @Test
  void anEtcdThatLostAnAcknowledgedBeatIsBehind() {
    for (Moment now : life()) {
      for (Moment before : life()) {
        if (before.kept() < now.acknowledged()) {
          assertThat(behind(now.rows(), before.etcd())).isEqualTo(Store.ETCD);
        }
      }
    }
  }

  @Test
  void aPostgresqlThatDoesNotKnowABeatOfEtcdIsBehind() {
    for (Moment now : life()) {
      for (Moment before : life()) {
        if (before.taken() < now.kept()) {
          assertThat(behind(before.rows(), now.etcd())).isEqualTo(Store.POSTGRESQL);
        }
      }
    }
  }

  @Test
  void theEpochTellsWhereBeatsDoNot() {
    assertThat(behind(new Rows(5, 5, 2), new Now(5, 1, 0))).isEqualTo(Store.ETCD);
    assertThat(behind(new Rows(5, 5, 1), new Now(5, 2, 0))).isEqualTo(Store.POSTGRESQL);
  }

  @Test
  void anEmptyStoreIsBehindOneThatIsNot() {
    assertThat(behind(new Rows(3, 3, 1), new Now(0, 1, 0))).isEqualTo(Store.ETCD);
    assertThat(behind(new Rows(0, 0, 1), new Now(3, 1, 0))).isEqualTo(Store.POSTGRESQL);
    assertThat(StoreAgreement.of(new Rows(0, 0, 1), new Now(0, 1, 0))).isInstanceOf(Agreed.class);
  }

  private static Store behind(Rows rows, Now etcd) {
    StoreAgreement found = StoreAgreement.of(rows, etcd);
    assertThat(found).isInstanceOf(Behind.class);
    return ((Behind) found).store();
  }
}
