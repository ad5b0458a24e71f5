package dev.drydock.orchestrator.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Grants;
import dev.drydock.lock.core.Ticket;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.HookBench;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which places in the queue no rollout comes back for: a pair of hosts, and a host alone. */
@Tag("stack")
class AbandonedPlacesTest {
  private TestDatabase database;
  private Fleet fleet;
  private List<Candidate> candidates = List.of();
  private List<Ticket> places = List.of();

  @BeforeEach
  void start() {
    database = new TestDatabase();
    fleet = new Fleet(database.jdbi());
    for (String host : List.of("a1", "a2", "b1")) {
      fleet.host(host);
    }
    fleet.rollout("r-a", "a1", "a2");
    fleet.rollout("r-b", "b1");
    fleet.asIf.together(0, "a1", "a2");
    candidates = fleet.candidates.pending(List.of(), 10);
    List<Ticket> waiting = new ArrayList<>();
    for (Candidate candidate : candidates) {
      waiting.add(Grants.placeOf(candidate, waiting.size(), Instant.MAX));
    }
    places = waiting;
  }

  @AfterEach
  void stop() {
    database.close();
  }

  @Test
  void thoseOfARolloutThatIsAborted() {
    assertThat(abandoned()).as("control: it runs").isEmpty();
    command("r-a", RolloutCommand.ABORT);
    new RolloutLifecycle(database.jdbi()).advance("r-a");
    assertThat(abandoned()).containsExactly("r-a.a1+1");
  }

  @Test
  void noneOfOneThatIsPausedOrBacksOffOrWaitsForItsCanaries() {
    command("r-a", RolloutCommand.PAUSE);
    fleet.asIf.backOff("b1");
    assertThat(fleet.candidates.pending(List.of(), 10)).as("nobody is offered").isEmpty();
    assertThat(abandoned()).isEmpty();
    fleet.asIf.backOffOver();
    fleet.asIf.waitFor(List.of("web/1"), "b1");
    assertThat(abandoned()).isEmpty();
  }

  @Test
  void noneOfAGrantThatIsNotKnownToStandWhichMayBecomeVoid() {
    String grant = proposed();
    assertThat(abandoned()).isEmpty();
    command("r-a", RolloutCommand.ABORT);
    RolloutLifecycle course = new RolloutLifecycle(database.jdbi());
    course.advance("r-a");
    assertThat(abandoned()).as("nor once it is aborted").isEmpty();

    fleet.candidates.voided(grant, "lost the race");
    course.advance("r-a");
    assertThat(abandoned()).containsExactly("r-a.a1+1");
  }

  @Test
  void noneWhoseHostsAreInProgressForTheyMayComeBack() {
    fleet.candidates.committed(proposed(), 42);
    assertThat(fleet.rows.host("a1").state()).isEqualTo(HostUpgradeState.InProgress);
    assertThat(abandoned()).isEmpty();
  }

  @Test
  void thoseWhoseHostsHaveAllEnded() {
    fleet.asIf.ended(HostUpgradeState.Cancelled, "a1");
    assertThat(abandoned()).as("the other one may go on").isEmpty();
    fleet.asIf.ended(HostUpgradeState.Skipped, "a2");
    assertThat(abandoned()).containsExactly("r-a.a1+1");
    fleet.asIf.ended(HostUpgradeState.Reverted, "b1");
    assertThat(abandoned()).containsExactlyInAnyOrder("r-a.a1+1", "r-b.b1");
  }

  /** The same host may wait in another rollout, and that says nothing about this one. */
  @Test
  void thoseOfARolloutThatPostgresDoesNotKnowAndNoneByItsHostAlone() {
    Ticket other =
        Grants.placeOf(
            new Candidate("r-x.b1", "r-x", List.of("b1"), "sre", "test"), 0, Instant.MAX);
    assertThat(fleet.candidates.abandoned(List.of(other, of("r-b")))).containsExactly("r-x.b1");
    assertThat(fleet.candidates.abandoned(List.of())).isEmpty();
  }

  @Test
  void noneOfARolloutThatWasResumed() {
    command("r-a", RolloutCommand.PAUSE);
    command("r-a", RolloutCommand.RESUME);
    assertThat(abandoned()).isEmpty();
    assertThat(fleet.rows.rollout("r-a").state()).isEqualTo(RolloutState.Running);
  }

  /** The grant of the pair. */
  private String proposed() {
    Candidate pair =
        candidates.stream().filter(one -> one.rollout().equals("r-a")).findFirst().orElseThrow();
    return fleet.candidates.propose(pair, Fleet.GRANT).orElseThrow().grantId();
  }

  private Ticket of(String rollout) {
    return places.stream()
        .filter(place -> place.rollout().filter(rollout::equals).isPresent())
        .findFirst()
        .orElseThrow();
  }

  private Set<String> abandoned() {
    return fleet.candidates.abandoned(places);
  }

  private void command(String rollout, RolloutCommand rolloutCommand) {
    new RolloutControl(database.jdbi(), fleet.onward)
        .command(HookBench.ANYBODY, rollout, rolloutCommand, "test");
  }
}
