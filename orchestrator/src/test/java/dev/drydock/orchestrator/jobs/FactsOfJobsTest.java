package dev.drydock.orchestrator.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.ClaimResult.Granted;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.proto.client.WireCollections;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The package lists of results go where the report finds them, and nowhere else. */
@Tag("stack")
class FactsOfJobsTest extends BoardFixture {
  private static final Principal OPERATOR =
      new Principal("operator", "sre", Role.CONSUMER, Set.of("host/PackageUpdate"));

  @Test
  void keepsPackageListsOutOfTheRowsThatAreShipped() {
    String grant = fleet.granted("lists");
    String update = rows.reach(grant, JobStep.Update);
    done(update, result("packagesBefore", "web 1.0\n"));
    fleet.drive(grant);
    done(rows.job(grant, JobStep.Health), result("packagesAfter", "web 1.1\n"));
    assertThat(
            fleet.value(
                """
                SELECT string_agg(moment || ' ' || (l.packages->>'web'), ', ' ORDER BY moment DESC)
                FROM host_facts f JOIN package_lists l ON l.digest = f.packages
                WHERE host = 'lists' AND fault = ''
                """))
        .isEqualTo("before 1.0, after 1.1");
    assertThat(fleet.rows.host("lists").facts())
        .contains("\"kernel\": \"6.1\"")
        .doesNotContain("packages");
    assertThat(rows.reported(update)).contains("packagesBefore=sha256:").doesNotContain("web");
  }

  @Test
  void anotherListIsAnotherResult() {
    String job = rows.reach(fleet.granted("again"), JobStep.Update);
    Granted claim = (Granted) board.claim(job, "operator", OPERATOR);
    JobResult first = result("packagesBefore", "web 1.0\n");
    for (int sent = 0; sent < 2; sent++) {
      assertThat(board.complete(job, claim.secret(), JobReport.of(first), OPERATOR))
          .isEqualTo(new CompletionResult.Accepted(sent == 1));
    }
    JobReport other = JobReport.of(result("packagesBefore", "web 2.0\n"));
    assertThat(refusal(board.complete(job, claim.secret(), other, OPERATOR)))
        .isEqualTo(CompletionResult.Reason.RESULT_DIFFERS);
  }

  private static void done(String job, JobResult result) {
    Granted claim = (Granted) board.claim(job, "operator", OPERATOR);
    assertThat(board.complete(job, claim.secret(), JobReport.of(result), OPERATOR))
        .isEqualTo(new CompletionResult.Accepted(false));
  }

  private static JobResult result(String key, String packages) {
    Map<String, String> facts = Map.of(key, packages, "kernel", "6.1", "kernelBefore", "6.1");
    return new JobResult()
        .setOutcome(JobOutcome.Done)
        .setMessage("done")
        .setFacts(WireCollections.map(facts));
  }
}
