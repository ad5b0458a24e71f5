package dev.drydock.cli;

import dev.drydock.api.BlockedBatch;

/** The table of batches of which hosts failed, where people say what becomes of them. */
final class BlockedViews {
  static final Table<BlockedBatch> BATCHES =
      Table.<BlockedBatch>of(BlockedBatch::getId)
          .column("QUESTION", BlockedBatch::getId)
          .column("ROLLOUT", BlockedBatch::getRollout)
          .column("HOSTS", batch -> String.join(",", batch.getHosts()))
          .column("STEP", BlockedBatch::getStep)
          .column("STATE", batch -> batch.getState().name())
          .column(
              "ANSWER",
              batch -> batch.hasAnswer() ? batch.getAnswer() + " by " + batch.getAnsweredBy() : "")
          .column("REASON", BlockedBatch::getReason)
          .wide("BACK", batch -> batch.isGoesBack() ? "yes" : "no")
          .wide("ASKED", batch -> Views.time(batch.getAskedAt()))
          .wide("ANSWERED", batch -> Views.time(batch.getAnsweredAt()))
          .wide("BECAUSE", BlockedBatch::getAnswerReason);

  private BlockedViews() {}
}
