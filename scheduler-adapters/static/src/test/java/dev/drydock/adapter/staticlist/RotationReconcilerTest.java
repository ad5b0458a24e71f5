package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.api.ClaimedJob;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RotationReconcilerTest {
  private static final FixedInstance WEB =
      new FixedInstance("web@h01", "web", "h01", 8101, "/health", "web", "z1", 1, "");

  private int failures;
  private boolean obeys = true;
  private boolean serving = true;
  private int pauses;

  private final Rotation rotation =
      new Rotation() {
        @Override
        public Snapshot read() throws IOException {
          if (failures-- > 0) {
            throw new IOException("restarting");
          }
          return new Snapshot(Map.of("web/h01", new Place(serving, 0)));
        }

        @Override
        public Set<String> admitted() {
          return serving ? Set.of("web/h01") : Set.of();
        }

        @Override
        public void drain(FixedInstance instance, Lease lease) {
          lease.requireLive();
          serving = serving && !obeys;
        }

        @Override
        public void ready(FixedInstance instance, Lease lease) {
          lease.requireLive();
          serving = serving || obeys;
        }
      };
  private final RotationReconciler rotationReconciler =
      new RotationReconciler(rotation, duration -> pauses++);

  private static ClaimedStep work(int leaseSeconds) {
    return new ClaimedStep(
        new ClaimedJob(), new Lease(() -> 0, 0, leaseSeconds), () -> 0, 60_000, () -> 1);
  }

  @Test
  void bearsABalancerThatIsAwayForAMoment() throws Exception {
    failures = 5;
    assertThat(rotationReconciler.set(work(15), List.of(WEB), false).serves(WEB)).isFalse();
    assertThat(pauses).isEqualTo(5);
  }

  @Test
  void doesNotBelieveAChangeItCannotRead() {
    obeys = false;
    assertThatThrownBy(() -> rotationReconciler.set(work(15), List.of(WEB), false))
        .hasMessageContaining("web@h01 is still in rotation");
    assertThat(pauses).isLessThan(60);
  }

  @Test
  void changesNothingWithoutALease() {
    assertThatThrownBy(() -> rotationReconciler.set(work(0), List.of(WEB), false))
        .hasMessageContaining("lease");
    assertThat(serving).isTrue();
  }

  @Test
  void doesNotCallItQuietWhileItChanges() throws Exception {
    RotationReconciler watching =
        new RotationReconciler(
            rotation,
            duration -> {
              pauses++;
              serving = pauses < 3 ? !serving : serving;
            });
    watching.awaitQuiet(List.of(WEB));
    assertThat(pauses).isEqualTo(3);
  }

  @Test
  void givesUpOnARotationThatIsNeverQuiet() {
    RotationReconciler watching = new RotationReconciler(rotation, duration -> serving = !serving);
    assertThatThrownBy(() -> watching.awaitQuiet(List.of(WEB)))
        .hasMessageContaining("[web@h01] in the rotation keep changing");
  }

  @Test
  void changesNothingThatIsAsWanted() throws Exception {
    obeys = false;
    assertThat(rotationReconciler.set(work(0), List.of(WEB), true).serves(WEB)).isTrue();
  }
}
