package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.RestLiActions;
import com.linkedin.restli.server.resources.ResourceContextHolder;
import dev.drydock.api.Rollout;
import dev.drydock.orchestrator.control.HostQuarantines;
import dev.drydock.orchestrator.control.HostReturns;
import dev.drydock.orchestrator.control.HostWriteOffs;
import dev.drydock.orchestrator.intake.FreeText;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What people do with one host beside rollouts: bring it back to service, keep it out of it, or
 * expect it no more.
 */
@RestLiActions(name = "hostOperations", namespace = "dev.drydock.api")
public final class HostOperationsResource extends ResourceContextHolder {
  private final HostReturns returns;
  private final HostQuarantines quarantines;
  private final HostWriteOffs writeOffs;
  private final RolloutStore rollouts;

  public HostOperationsResource(
      HostReturns returns,
      HostQuarantines quarantines,
      HostWriteOffs writeOffs,
      RolloutStore rollouts) {
    this.returns = returns;
    this.quarantines = quarantines;
    this.writeOffs = writeOffs;
    this.rollouts = rollouts;
  }

  /**
   * A rollout that verifies, judges and recovers a quarantined host; one that does so already is
   * answered as it is.
   *
   * @param release the one the host is on, if the server does not know
   */
  @Allow(Role.OPERATOR)
  @Action(name = "return")
  public Rollout bringBack(
      @ActionParam("host") String host,
      @ActionParam("release") @com.linkedin.restli.server.annotations.Optional
          @Nullable String release,
      @ActionParam("reason") @com.linkedin.restli.server.annotations.Optional("") String reason) {
    String rollout =
        returns.begin(
            Caller.of(getContext()),
            new HostReturns.Wish(host, Optional.ofNullable(release), text(reason)));
    return rollouts.find(rollout, FieldMask.all()).orElseThrow();
  }

  /** Keeps the host from everybody as soon as nobody has it; answers what was done. */
  @Allow(Role.OPERATOR)
  @Action(name = "quarantine")
  public String quarantine(@ActionParam("host") String host, @ActionParam("reason") String reason) {
    return quarantines.quarantine(Caller.of(getContext()), host, text(reason));
  }

  /** No budget and no zone waits for the host any more; answers what was done. */
  @Allow(Role.OPERATOR)
  @Action(name = "writeOff")
  public String writeOff(@ActionParam("host") String host, @ActionParam("reason") String reason) {
    return writeOffs.writeOff(Caller.of(getContext()), host, text(reason));
  }

  /** The host is expected back after all; answers what was done. */
  @Allow(Role.OPERATOR)
  @Action(name = "undoWriteOff")
  public String undoWriteOff(
      @ActionParam("host") String host,
      @ActionParam("reason") @com.linkedin.restli.server.annotations.Optional("") String reason) {
    return writeOffs.takeBack(Caller.of(getContext()), host, text(reason));
  }

  private static String text(String reason) {
    if (!FreeText.fits(reason)) {
      throw ApiException.invalid("INVALID_TEXT", "reason " + FreeText.MUST, List.of());
    }
    return reason;
  }
}
