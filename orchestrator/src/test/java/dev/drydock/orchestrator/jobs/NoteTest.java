package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Job;
import dev.drydock.orchestrator.jobs.ClaimResult.Granted;
import dev.drydock.proto.Json;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a consumer notes of a host is known to whoever comes after it, whatever became of it. */
@Tag("stack")
class NoteTest extends BoardFixture {
  private static final Map<String, String> KEPT = Map.of("dataKept", "g1.3");

  @Test
  void theNextAttemptAndLaterJobsAreToldWhatNobodyReported() {
    String job = fleet.drainPublished("noted");
    assertThat(board.note(job, granted(job).secret(), Map.of("a", "1", "b", "2"))).isTrue();
    silent(job);
    Granted second = granted(job);
    assertThat(told(second)).containsAllEntriesOf(Map.of("a", "1", "b", "2"));
    assertThat(board.note(job, second.secret(), Map.of("b", "3"))).isTrue();
    assertThat(board.note(job, second.secret(), Map.of("b", "3"))).as("twice").isTrue();

    overdue(job);
    silent(job);
    assertThat(state(job)).as("without a result").isEqualTo("Expired");
    assertThat(fleet.rows.host("noted").facts())
        .as("which every later job of the batch is told")
        .isEqualTo("{\"a\": \"1\", \"b\": \"3\"}");
  }

  @Test
  void whoLostTheJobOrIsTooLateNotesNothing() {
    String job = fleet.drainPublished("not-noted");
    Granted lost = granted(job);
    silent(job);
    Granted second = granted(job);
    assertThat(board.note(job, lost.secret(), KEPT)).isFalse();
    overdue(job);
    assertThat(board.note(job, second.secret(), KEPT)).isFalse();
    assertThat(board.note("g0.Drain.nobody.1", second.secret(), KEPT)).isFalse();
    assertThat(fleet.rows.host("not-noted").facts()).isEqualTo("{}");
  }

  @Test
  void whoeverClaimsAJobThatNobodyHadIsToldThatItHasItsWholeTime() {
    String job = fleet.drainPublished("late");
    fleet.workAsIf.left(job, 90);
    assertThat(claimed(granted(job)).getSecondsLeft()).isGreaterThan(600);
  }

  private static void silent(String job) {
    fleet.workAsIf.leaseEnded(job, 6);
    silence(board, 20);
  }

  private static Map<String, String> told(Granted granted) {
    return claimed(granted).getFacts();
  }

  private static Job claimed(Granted granted) {
    return Json.read(granted.job(), Job.class);
  }
}
