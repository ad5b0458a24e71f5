package dev.drydock.platform.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.RolloutOrigin;
import java.io.IOException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
final class SelectionTest {
  private static final Columns<RolloutOrigin> ORIGINS =
      Columns.of(
              RolloutOrigin.class,
              "(VALUES ('Retry', 'r1'), ('Revert', 'r1'), ('Retry', 'r2')) v (kind, rollout)")
          .named("v", "kind rollout")
          .complete();

  @Test
  void aSecondConditionNarrowsTheFirst() throws IOException {
    try (TestDatabase server = new TestDatabase();
        Database database = Database.open(server.config())) {
      Selection<RolloutOrigin> either =
          ORIGINS.select(FieldMask.all()).where("v.kind = 'Retry' OR v.rollout = 'r1'");
      assertThat(database.jdbi().withHandle(either::list)).hasSize(3);
      Selection<RolloutOrigin> both = either.where("v.rollout = 'r2'");
      assertThat(database.jdbi().withHandle(both::list))
          .extracting(RolloutOrigin::getRollout)
          .containsExactly("r2");
    }
  }
}
