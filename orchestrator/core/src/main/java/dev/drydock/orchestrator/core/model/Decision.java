package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.Ladder.Rung;
import dev.drydock.impact.core.LateDrain.Way;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Something about hosts of a batch that is to be decided. Policies decide it at once, or people are
 * asked and the batch waits for them.
 *
 * @param number counts all decisions of a grant
 * @param step what the hosts were at, as people read it
 * @param jobs those that ended badly
 * @param reasons what people read of each host while it waits
 * @param says why, in one sentence
 * @param patience empty where an answer is waited for as long as it takes
 * @param answer empty while people are asked
 */
public record Decision(
    int number,
    Subject subject,
    String step,
    List<String> jobs,
    Map<String, String> reasons,
    String says,
    Optional<Patience> patience,
    Optional<Answer> answer) {
  /** Who decided what policies say, and who decided when nobody answered. */
  public static final String BY_POLICY = "policy";

  public static final String BY_EXPIRY = "drydock";

  public Decision {
    jobs = List.copyOf(jobs);
    reasons = Map.copyOf(reasons);
  }

  /** The kinds of subjects. */
  public enum Kind implements NamedConstant {
    BLOCKED_BATCH,
    LATE_DRAIN,
    REPAIR_APPROVAL
  }

  /** What is to be decided. */
  public sealed interface Subject {
    Kind kind();
  }

  /**
   * Hosts failed.
   *
   * @param goingBack whether the batch was on its way back
   */
  public record BlockedBatch(boolean goingBack) implements Subject {
    @Override
    public Kind kind() {
      return Kind.BLOCKED_BATCH;
    }
  }

  /**
   * Hosts were not drained in time.
   *
   * @param openRound the last round of the open check when it was decided; 0 before
   */
  public record LateDrain(Way way, Pace pace, int openRound) implements Subject {
    @Override
    public Kind kind() {
      return Kind.LATE_DRAIN;
    }
  }

  /**
   * A rung is to be tried on a host.
   *
   * @param found what the diagnosis said
   */
  public record RepairApproval(Rung rung, String found) implements Subject {
    @Override
    public Kind kind() {
      return Kind.REPAIR_APPROVAL;
    }
  }

  /** Whether a drain would have ended. */
  public enum Pace implements NamedConstant {
    UNKNOWN,
    /** It got less, only not in time. */
    SLOW,
    /** It did not get less for long. */
    STUCK
  }

  /** How long people are waited for, and how often they are reminded. */
  public record Patience(Duration remindEvery, Instant remindAt, Instant expiresAt) {

    /** From now on. */
    public static Patience since(Instant now, Duration remindEvery, Duration expires) {
      return new Patience(remindEvery, now.plus(remindEvery), now.plus(expires));
    }
  }

  /** What may be decided. Which of them a kind has is for {@code Choice} to say. */
  public enum Option implements NamedConstant {
    RETRY,
    GO_ON,
    ABORT,
    WAIT,
    REQUEUE,
    FORCE,
    QUARANTINE,
    /** The batch is brought back and has failed; policies alone say so. */
    REVERT,
    APPROVE,
    REFUSE
  }

  /** What was decided. */
  public record Answer(Option option, String by, String reason) {

    /** As people read it. */
    public String says() {
      return option.word() + " by " + by + (reason.isEmpty() ? "" : ": " + reason);
    }
  }

  public boolean is(Kind kind) {
    return subject.kind() == kind;
  }

  public boolean open() {
    return answer.isEmpty();
  }

  /** Whether this was decided. */
  public boolean answered(Option option) {
    return answer.filter(given -> given.option() == option).isPresent();
  }

  /** Its hosts. */
  public List<String> hosts() {
    return reasons.keySet().stream().sorted().toList();
  }

  /** Its id under a grant. */
  public String id(String grant) {
    return grant + "." + number;
  }

  /**
   * The same, decided.
   *
   * @param openRound the last round of the open check
   */
  public Decision answered(Answer given, int openRound) {
    Subject decided =
        subject instanceof LateDrain(Way way, Pace pace, int _)
            ? new LateDrain(way, pace, openRound)
            : subject;
    return new Decision(number, decided, step, jobs, reasons, says, patience, Optional.of(given));
  }

  /** The same with another patience. */
  public Decision patient(Patience more) {
    return new Decision(number, subject, step, jobs, reasons, says, Optional.of(more), answer);
  }

  /** The same after people were reminded. */
  public Decision reminded(Instant now) {
    Patience old = patience.orElseThrow();
    return patient(new Patience(old.remindEvery(), now.plus(old.remindEvery()), old.expiresAt()));
  }
}
