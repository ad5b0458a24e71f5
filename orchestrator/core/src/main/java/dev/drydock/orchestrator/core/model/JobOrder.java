package dev.drydock.orchestrator.core.model;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job to be put on the board.
 *
 * @param round its round on the host, from 1
 * @param hook number of the hook, of a Hook or an Unhook; else 0
 * @param drainMax how long a Drain may take
 * @param force whether a Drain stops what is left instead of waiting for it
 * @param repair the action of a Repair
 * @param facts what the job is told beside the facts of earlier steps
 * @param repairs whether a remediation waits for it
 * @param about hosts that a hook is about
 * @param after the job of a hook that asked to be asked again, whose deadline this one keeps
 */
public record JobOrder(
    String id,
    Step step,
    String host,
    int round,
    String topic,
    int hook,
    Optional<Duration> drainMax,
    boolean force,
    Optional<String> repair,
    Map<String, String> facts,
    boolean repairs,
    List<String> about,
    Optional<String> after) {
  /** The fact of a Drain that says, for people, whose policies it follows. */
  public static final String DRAIN_TERMS = "drainTerms";

  public JobOrder {
    facts = Map.copyOf(facts);
    about = List.copyOf(about);
  }
}
