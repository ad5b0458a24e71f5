package dev.drydock.orchestrator.core.explorer;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.orchestrator.core.model.BatchHost;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.BatchSnapshot;
import dev.drydock.orchestrator.core.model.Check;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Grant;
import dev.drydock.orchestrator.core.model.Remediation;

/**
 * A number of 128 bits for a state, without what never differs within a scenario. Two states with
 * the same number would be taken for one, which does not happen with so many bits.
 */
final class StateHash {
  private static final long ONE = 0x9E3779B97F4A7C15L;
  private static final long OTHER = 0xC2B2AE3D27D4EB4FL;

  private long one = 1;
  private long other = 2;

  /** The number. */
  record Key(long one, long other) {
    @Override
    public int hashCode() {
      return (int) (one ^ (one >>> 32));
    }
  }

  Key key() {
    return new Key(one, other);
  }

  StateHash add(long value) {
    one = (one ^ value) * ONE;
    one ^= one >>> 29;
    other = (other + value) * OTHER;
    other ^= other >>> 31;
    return this;
  }

  private void add(boolean is) {
    add(is ? 1 : 0);
  }

  private void text(String text) {
    add(text.hashCode()).add(text.length());
  }

  /** Rows. */
  void rows(BatchSnapshot rows) {
    grant(rows.grant());
    add(rows.aborted().isPresent());
    add(rows.quarantined());
    add(rows.hooks().size());
    for (BatchHost host : rows.hosts()) {
      text(host.name());
      text(host.step());
      text(host.says());
      add(host.seemsDone());
      add(host.backTo().isPresent());
      add(host.condemned().isPresent());
    }
    add(-1);
    for (BatchJob batchJob : rows.jobs()) {
      job(batchJob, rows);
    }
    add(-2);
    for (Check check : rows.checks()) {
      add(check.kind().ordinal()).add(check.round()).add(check.verdict().ordinal());
      add(check.askedAt().isBefore(rows.now()));
    }
    add(-3);
    rows.decisions().forEach(this::decision);
    add(-4);
    rows.remediations().forEach(this::remediation);
    rows.loads().values().forEach(load -> add(load.acting()));
  }

  private void grant(Grant grant) {
    add(grant.run()).add(grant.stage().ordinal());
    add(grant.alive());
    add(grant.aborted());
    add(grant.reclaim().isPresent());
    add(grant.blind());
    add(grant.hooked().map(has -> has ? 2 : 1).orElse(0));
    add(grant.turnedBack().map(back -> 1 + back.end().ordinal()).orElse(0));
    text(grant.turnedBack().map(Grant.TurnedBack::reason).orElse(""));
  }

  private void job(BatchJob batchJob, BatchSnapshot rows) {
    add(batchJob.step().ordinal())
        .add(BatchState.of(batchJob.host()))
        .add(batchJob.round())
        .add(batchJob.run());
    add(batchJob.status().ordinal()).add(batchJob.attempt()).add(batchJob.hook());
    add(batchJob.held());
    text(batchJob.repair().orElse(""));
    add(batchJob.facts().hashCode());
    add(batchJob.told().begun().map(begun -> begun ? 2 : 1).orElse(0));
    add(batchJob.told().mend().map(mend -> 1 + mend.ordinal()).orElse(0));
    add(batchJob.endedAt().filter(end -> end.isBefore(rows.now())).isPresent());
  }

  private void decision(Decision decision) {
    add(decision.jobs().hashCode()).add(decision.reasons().keySet().hashCode());
    switch (decision.subject()) {
      case Decision.BlockedBatch(boolean goingBack) -> add(goingBack);
      case Decision.LateDrain(var _, var _, int openRound) -> add(openRound);
      case Decision.RepairApproval(Rung rung, String _) -> {
        text(decision.step());
        add(rung.ordinal());
      }
    }
    decision.patience().ifPresent(this::patience);
    add(decision.answer().map(given -> 1 + given.option().ordinal()).orElse(0));
  }

  private void patience(Decision.Patience patience) {
    add(patience.remindAt().getEpochSecond()).add(patience.expiresAt().getEpochSecond());
  }

  private void remediation(Remediation remediation) {
    add(BatchState.of(remediation.host())).add(remediation.step().ordinal());
    add(remediation.state().ordinal());
    add(remediation.wentBack());
    add(remediation.taken().hashCode());
  }
}
