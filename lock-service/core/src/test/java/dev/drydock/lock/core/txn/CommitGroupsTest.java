package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.GrantorDecision;
import dev.drydock.lock.core.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What candidates wait for is told together, and never before what was decided before it. */
class CommitGroupsTest {
  @Test
  void reasonsOfCandidatesThatFollowEachOtherAreToldTogetherAndInTheirPlace() {
    GrantorDecision first = waits("c1");
    GrantorDecision second = waits("c2");
    GrantorDecision between = new GrantorDecision.Enqueue(List.of(Samples.candidate("c1")));
    GrantorDecision last = waits("c3");

    assertThat(CommitGroups.of(List.of(first, second, between, last)))
        .containsExactly(List.of(first, second), List.of(between), List.of(last));
  }

  private static GrantorDecision waits(String id) {
    Candidate candidate = Samples.candidate(id);
    return new GrantorDecision.CandidateWaits(candidate, "because");
  }
}
