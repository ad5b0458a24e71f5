package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobStep;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nothing new is granted for a topic whose consumers do not claim what it has. */
@Tag("stack")
class UnclaimedTopicsTest {
  private TestDatabase database;
  private Fleet fleet;

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    fleet.host("h01");
    fleet.rollout("r1", "h01");
  }

  @AfterEach
  void stop() {
    database.close();
  }

  private List<String> offered() {
    return fleet.candidates.pending(List.of(), 10).stream()
        .map(Candidate::hosts)
        .flatMap(List::stream)
        .toList();
  }

  @Test
  void aHostWaitsWhileNobodyClaimsFromTheTopicOfItsScheduler() {
    String grant = fleet.granted("a1");
    fleet.drive(grant);
    assertThat(offered()).as("a consumer may be about to come").containsExactly("h01");
    fleet.workAsIf.nothingHappensFor(2);
    assertThat(offered()).isEmpty();
    assertThat(fleet.rows.host("h01").reason())
        .isEqualTo(
            "consumers of scheduler/static do not claim the jobs that it has: is one running?");
    fleet.workAsIf.claimed(fleet.rows.waiting(grant, JobStep.Cordon), 0);
    assertThat(offered()).as("control: once one claims").containsExactly("h01");
  }
}
