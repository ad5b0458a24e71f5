package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.Candidates.Candidate;
import dev.drydock.lock.core.Decision;
import dev.drydock.lock.core.Samples;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What candidates wait for is told together, and never before what was decided before it. */
class CommitGroupsTest {
  @Test
  void reasonsOfCandidatesThatFollowEachOtherAreToldTogetherAndInTheirPlace() {
    Decision first = waits("c1");
    Decision second = waits("c2");
    Decision between = new Decision.Enqueue(List.of(Samples.candidate("c1")));
    Decision last = waits("c3");

    assertThat(CommitGroups.of(List.of(first, second, between, last)))
        .containsExactly(List.of(first, second), List.of(between), List.of(last));
  }

  private static Decision waits(String id) {
    Candidate candidate = Samples.candidate(id);
    return new Decision.CandidateWaits(candidate, "because");
  }
}
