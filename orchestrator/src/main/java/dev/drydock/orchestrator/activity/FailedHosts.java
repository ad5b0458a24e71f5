package dev.drydock.orchestrator.activity;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.activity.Progress.Status;
import dev.drydock.orchestrator.blocked.Blockage;
import dev.drydock.orchestrator.blocked.Blockage.Decision;
import dev.drydock.orchestrator.blocked.BlockedBatches;
import dev.drydock.orchestrator.blocked.BlockedBatches.Cause;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * What becomes of a batch of which hosts failed, inside a transaction that holds the lock of its
 * grant. Policies say, as they did when the batch began:
 *
 * <ol>
 *   <li>GoOn: the hosts are kept aside, if any is left to go on; else as Abort.
 *   <li>Abort: all go back while there is a way back; after that as GoOn.
 *   <li>Hold, and a post hook or what takes one back unless they say GoOn: people are asked, and
 *       the batch waits for them.
 * </ol>
 */
final class FailedHosts {
  private final Handle handle;
  private final GrantRow grant;
  private boolean some;

  FailedHosts(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
    this.some = grant.aside();
  }

  /** These hosts without those that are to be kept aside. */
  List<String> without(Collection<String> hosts) {
    List<String> left = new ArrayList<>(hosts);
    left.removeAll(aside().keySet());
    return left;
  }

  /** Hosts that are to be kept aside, with the reason. */
  Map<String, String> aside() {
    return some ? BlockedBatches.aside(handle, grant.id()) : Map.of();
  }

  /** What to do about them. */
  sealed interface Way {}

  /** Nobody said yet. */
  record Wait() implements Way {}

  /** Try what failed once more. */
  record Again() implements Way {}

  /** Keep them aside. */
  record Aside() implements Way {}

  /** All go back. */
  record Back(Progress progress) implements Way {}

  /**
   * Of a step on the way forward.
   *
   * @param others whether any host of the batch did not fail
   * @param wayBack whether all can still go back
   */
  Way of(Cause cause, boolean others, boolean wayBack) {
    return switch (grant.onHostFailure()) {
      case HOLD -> decided(cause, Optional.empty());
      case ABORT -> wayBack ? back(cause) : decided(cause, Optional.of(Decision.GO_ON));
      case GO_ON -> others || !wayBack ? decided(cause, Optional.of(Decision.GO_ON)) : back(cause);
    };
  }

  /** Of a post hook: never passed over in silence. */
  Way ofPost(Cause cause) {
    return decided(
        cause,
        grant.onHostFailure() == OnHostFailure.GO_ON
            ? Optional.of(Decision.GO_ON)
            : Optional.empty());
  }

  private static Way back(Cause cause) {
    return new Back(new Progress(Status.FAILED, cause.says()));
  }

  private Way decided(Cause cause, Optional<Decision> said) {
    Blockage row = BlockedBatches.of(handle, grant, cause, said);
    if (row.decided().isEmpty()) {
      return new Wait();
    }
    return switch (row.decided().get().decision()) {
      case RETRY -> new Again();
      case GO_ON -> {
        some = true;
        yield new Aside();
      }
      case ABORT ->
          new Back(new Progress(Status.FAILED, row.says() + "; " + row.decided().get().says()));
    };
  }
}
