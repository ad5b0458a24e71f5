package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import java.util.List;

/**
 * What people may answer.
 *
 * @param consequence what happens then
 * @param secondPerson whether it takes effect only once a second person said the same
 */
public record Choice(Option option, String consequence, boolean secondPerson) {
  /** Who may answer. */
  public static final String NEEDS =
      "an operator, or an owner of an application on one of the hosts";

  /** Who may be the second person. */
  public static final String NEEDS_SECOND =
      "an owner of an application on the hosts who neither asked for it nor started the rollout";

  private Choice(Option option, String consequence) {
    this(option, consequence, false);
  }

  /** What may be said of a kind. */
  public static List<Choice> of(Kind kind) {
    return switch (kind) {
      case BLOCKED_BATCH ->
          List.of(
              new Choice(Option.RETRY, "what failed is tried once more"),
              new Choice(Option.GO_ON, "hosts that failed are quarantined, the others go on"),
              new Choice(Option.ABORT, "all hosts go back; only before an update began"));
      case LATE_DRAIN ->
          List.of(
              new Choice(Option.WAIT, "hosts are drained again, for as long as before"),
              new Choice(Option.REQUEUE, "hosts are brought back, and tried again later"),
              new Choice(Option.QUARANTINE, "hosts are kept aside until people have looked"),
              new Choice(Option.FORCE, "what is left is stopped: open requests fail", true));
      case REPAIR_APPROVAL ->
          List.of(
              new Choice(Option.APPROVE, "the host is diagnosed again, and repaired so if it fits"),
              new Choice(Option.REFUSE, "it is not tried: the next rung is, or a quarantine"));
    };
  }

  /** What happens if nobody answers. */
  public static String otherwise(Kind kind) {
    return switch (kind) {
      case BLOCKED_BATCH -> "the batch waits for as long as it takes";
      case LATE_DRAIN -> "hosts are brought back, and tried again later";
      case REPAIR_APPROVAL -> "it is not tried: the next rung is, or a quarantine";
    };
  }
}
