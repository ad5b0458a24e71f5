package dev.drydock.orchestrator.activity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Grants;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is written of the places of a rollout that is paused, and of one that is not. */
@Tag("stack")
class PausedPlacesTest {
  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void onlyAPausedRolloutTakesTheAgeOfItsTickets() {
    fleet.host("a1");
    fleet.rollout("r-a", "a1");
    fleet.holds.queue(
        Grants.placeOf(fleet.candidates.pending(List.of(), 10).getFirst(), 0, Instant.MAX).at(77));
    PausedPlaces places = new PausedPlaces(database.jdbi(), fleet.holds);
    places.keep("r-a");
    assertThat(age()).as("its tickets stand in the queue themselves").isEmpty();
    fleet.asIf.rolloutIs(RolloutState.Paused);
    places.keep("r-a");
    assertThat(age()).contains(77L);
  }

  private Optional<Long> age() {
    return fleet.rows.host("a1").age();
  }
}
