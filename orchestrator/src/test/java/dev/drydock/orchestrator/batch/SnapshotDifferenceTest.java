package dev.drydock.orchestrator.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import dev.drydock.impact.core.LateDrain;
import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.batch.SnapshotDraft;
import dev.drydock.orchestrator.core.model.Action;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.GrantStage;
import dev.drydock.orchestrator.core.model.RepairLimits;
import dev.drydock.orchestrator.testkit.SnapshotDifference;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SnapshotDifferenceTest {

  @Test
  void snapshotsThatDifferInTimesAloneDoNotDiffer() {
    assertThat(SnapshotDifference.between(snapshot(Instant.EPOCH), snapshot(Instant.MAX)))
        .isEmpty();
  }

  @Test
  void everyFieldThatDiffersIsNamed() {
    SnapshotDraft snapshotDraft = new SnapshotDraft(snapshot(Instant.EPOCH));
    snapshotDraft.act(new Action.ShowStep("h1", "Cordon"));
    snapshotDraft.act(new Action.AskCheck(Check.Kind.OPEN, 1));
    assertThat(SnapshotDifference.between(snapshotDraft.snapshot(), snapshot(Instant.EPOCH)))
        .containsExactly(
            "checks[open].askedAt: expected a time, read nothing",
            "checks[open].kind: expected OPEN, read nothing",
            "checks[open].reason: expected , read nothing",
            "checks[open].round: expected 1, read nothing",
            "checks[open].verdict: expected REQUESTED, read nothing",
            "hosts[h1].step: expected Cordon, read ");
  }

  private static BatchSnapshot snapshot(Instant now) {
    DrainTerms drain = new DrainTerms(Duration.ofMinutes(20), LateDrain.UNSAID);
    BatchHost host =
        new BatchHost(
            "h1", "static", false, "", "", Optional.empty(), Optional.empty(), drain, Ladder.NONE);
    Grant grant =
        new Grant(
            "g1",
            "r1",
            1,
            true,
            GrantStage.PROVISIONAL,
            false,
            Optional.empty(),
            false,
            Optional.empty(),
            OnHostFailure.ABORT,
            Optional.empty());
    return new BatchSnapshot(
        now,
        grant,
        "PackageUpdate",
        Optional.empty(),
        List.of(host),
        false,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        new RepairLimits(10, 3, Duration.ofHours(1)),
        Map.of());
  }
}
