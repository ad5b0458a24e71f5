package dev.drydock.server.planted.orchestrator.store;

/** Reads a batch as tests should not, in each of the ways that SQL can be laid out. */
public final class ReadsBatchRows {
  String word = "SELECT state FROM grants";
  String block =
      """
      SELECT * FROM events e JOIN
        rollouts r ON r.id = e.rollout
      """;
  String table = "SELECT step FROM " + "jobs";
}
