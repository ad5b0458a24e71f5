package dev.drydock.orchestrator.core.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is to be done about a batch. The interpreter applies the actions of one decision in their
 * order, in one transaction under the lock of the grant. Reasons are the words that people read.
 */
public sealed interface Action {

  /** What follows belongs to this phase. Writes nothing; crash points and traces name it. */
  record InPhase(Phase phase) implements Action {}

  /** Put a job on the board. */
  record Publish(JobOrder order) implements Action {}

  /** Let the run that works the grant now own a job that an earlier run published. */
  record Adopt(String job) implements Action {}

  /** Take jobs off the board that nobody has. */
  record Cancel(List<String> jobs) implements Action {
    public Cancel {
      jobs = List.copyOf(jobs);
    }
  }

  /** Ask the grantor for the verdict of a check. */
  record AskCheck(Check.Kind kind, int round) implements Action {}

  /** Write down which hooks are run around the work of the batch; none means none ever are. */
  record WriteHooks(List<BatchHook> hooks) implements Action {
    public WriteHooks {
      hooks = List.copyOf(hooks);
    }
  }

  /** Show which step a host is at. */
  record ShowStep(String host, String step) implements Action {}

  /** Show why a host waits; empty once it does not. */
  record ShowReason(String host, String reason) implements Action {}

  /** The host was read and is not on the release that the inventory named. */
  record ForgetRelease(String host) implements Action {}

  /** Send the batch back. From here on nobody leads it forward. */
  record GoBack(RollbackTarget end, String reason) implements Action {}

  /** Write down what is to be decided. People are asked unless policies decided it. */
  record Ask(Decision decision) implements Action {}

  /** Remind people of what is open. */
  record Remind(Decision decision) implements Action {}

  /** Decide it for people who are not waited for any more. */
  record Withdraw(Decision decision) implements Action {}

  /** Begin a remediation. */
  record BeginRepair(Remediation remediation) implements Action {}

  /** Note which action a remediation took; its job is published before. */
  record TakeRepair(String host, Step step, int number, Remediation.Taken taken)
      implements Action {}

  /**
   * End a remediation.
   *
   * @param signature what the host was found to have; empty where nobody found out
   */
  record EndRepair(Remediation remediation, String signature) implements Action {}

  /** From now on work on the host is about the release it had before, or about the rollout's. */
  record ChooseRelease(String host, boolean before) implements Action {}

  /**
   * Write down that a host is to be quarantined, and why. It stays so: its lock may become a
   * quarantine at any moment from then on.
   */
  record Condemn(String host, String reason) implements Action {}

  /**
   * Quarantine a host. Its lock in etcd becomes a quarantine first, then the host leaves the batch:
   * a host is never called quarantined while something might take it.
   */
  record Quarantine(String host, String reason) implements Action {}

  /**
   * A host leaves the batch before the others, back in service.
   *
   * @param reason what people read of it; may be empty
   */
  record Return(String host, HostEnd end, String reason) implements Action {}

  /**
   * End the batch: write what became of its hosts, then end its hold.
   *
   * @param ends by host
   */
  record EndBatch(Map<String, Ended> ends, HostEnd end) implements Action {
    public EndBatch {
      ends = Map.copyOf(ends);
    }

    /**
     * How one host ended.
     *
     * @param reason what people read of it; may be empty
     */
    public record Ended(HostEnd end, String reason) {}
  }

  /**
   * Nothing more can be done now. It is the last action of a decision, unless the batch ended.
   *
   * @param until when to look again even if nothing happens; empty to wait for an event alone
   * @param reason what is waited for
   */
  record Wait(Optional<Instant> until, String reason) implements Action {}
}
