package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.proto.Json;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch goes on only when its hosts run what the checks will judge. */
@Tag("stack")
class CordonReadTest extends BoardFixture {
  @Test
  void goesOnWithTheInstancesTheInventoryHasThere() {
    assertThat(cordoned("as-known", "web@as-known")).isEqualTo("Confirm");
    assertThat(fleet.value("SELECT mark > 0 FROM instances WHERE id = 'web@as-known'"))
        .isEqualTo("t");
  }

  /** The check that follows judges by what was read, not by what the last report said. */
  @Test
  void keepsHowMuchAnInstanceCountsAndWhere() {
    assertThat(cordoned("resized", "web@resized")).isEqualTo("Confirm");
    assertThat(
            fleet.value(
                "SELECT concat_ws(' ', application, zone, capacity) FROM instances"
                    + " WHERE id = 'web@resized'"))
        .isEqualTo("shop z9 8");
  }

  @Test
  void theReadIsWrittenDownAsAnObservationUnlessTheBoardObjected() {
    cordoned("noted", "web@noted");
    cordoned("refused", "stray@refused");
    assertThat(
            fleet.value(
                "SELECT string_agg(source || ' ' || array_to_string(instances, ','), ';')"
                    + " FROM observed_reports WHERE job LIKE '%noted%' OR job LIKE '%refused%'"))
        .isEqualTo("static web@noted");
  }

  @Test
  void failsOnAnInstanceThatIsKnownFromAnotherSource() {
    fleet.host("home");
    fleet.execute("UPDATE instances SET source = 'other' WHERE id = 'web@home'");
    assertThat(cordoned("away", "web@home"))
        .isEqualTo(
            "Reverted: Cordon: found instance web@home, which the inventory has on home from source other");
    assertThat(fleet.value("SELECT host FROM instances WHERE id = 'web@home'")).isEqualTo("home");
  }

  /** The next report of its source tells; until then nobody knows what would be judged. */
  @Test
  void holdsOnAnInstanceThatMovedHere() {
    fleet.host("left");
    assertThat(cordoned("entered", "web@left"))
        .isEqualTo(
            "Requeued: Cordon: found instance web@left, which the inventory has on left from source static");
    assertThat(fleet.value("SELECT host FROM instances WHERE id = 'web@left'")).isEqualTo("left");
  }

  @Test
  void holdsOnAnInstanceTheSchedulersListDoesNotName() {
    assertThat(cordoned("strange", "stray@strange"))
        .isEqualTo(
            "Requeued: Cordon: found an instance the scheduler's list does not name: stray@strange");
    assertThat(fleet.value("SELECT id FROM instances WHERE id = 'stray@strange'"))
        .as("only the list makes it known")
        .isEqualTo("none");
  }

  @Test
  void holdsOnAnInstanceThatVanishedFromTheList() {
    fleet.host("gone");
    fleet.execute("UPDATE instances SET vanished_at = now() WHERE id = 'web@gone'");
    assertThat(cordoned("found-again", "web@gone")).startsWith("Requeued: ");
  }

  /** To where the batch goes once its host was read so. */
  private static String cordoned(String host, String instance) {
    String grant = fleet.granted(host);
    fleet.drive(grant);
    String job = rows.job(grant, JobStep.Cordon);
    ClaimResult.Granted claim = granted(job);
    JobReport read = read(host, instance, fleet.mark());
    for (boolean repeated : new boolean[] {false, true}) {
      assertThat(board.complete(job, claim.secret(), read, ADAPTER))
          .isEqualTo(new CompletionResult.Accepted(repeated));
    }
    fleet.drive(grant);
    return rows.way(grant);
  }

  private static JobReport read(String host, String instance, long mark) {
    String json =
        """
        {"outcome": "Done", "message": "frozen", "facts": {}, "mark": %d, "instances": [
          {"id": "%3$s", "application": "shop", "host": "%2$s", "zone": "z9", "capacity": 8,
           "health": "Healthy", "detail": "", "observedAt": 1}]}
        """
            .formatted(mark, host, instance);
    return JobReport.of(Json.read(json, JobResult.class));
  }
}
