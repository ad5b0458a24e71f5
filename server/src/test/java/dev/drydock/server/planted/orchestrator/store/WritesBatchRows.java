package dev.drydock.server.planted.orchestrator.store;

/** Moves a batch past the interpreter, in each of the ways that SQL can be laid out. */
public final class WritesBatchRows {
  String word = "UPDATE grants SET undo = 'Requeued'";
  String block =
      """
      WITH gone AS (DELETE FROM jobs WHERE grant_id = :grant RETURNING id)
      INSERT INTO
        decisions (id) SELECT id FROM gone
      """;
  String table = "UPDATE " + "jobs" + " SET state = 'Done'";
  String joined = "INSERT INTO" + " checks (grant_id) VALUES (:grant)";
}
