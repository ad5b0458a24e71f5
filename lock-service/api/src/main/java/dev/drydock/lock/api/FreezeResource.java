package dev.drydock.lock.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.UpdateResponse;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiSimpleResource;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.SimpleResourceTemplate;
import dev.drydock.api.Freeze;
import dev.drydock.api.FreezeRequest;
import dev.drydock.lock.core.Brake;
import dev.drydock.platform.http.RequestRecord;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The fleet brake: an update pulls it, a delete lifts it. */
@RestLiSimpleResource(name = "freeze", namespace = "dev.drydock.api")
public final class FreezeResource extends SimpleResourceTemplate<Freeze> {
  private final FleetBrake brake;

  FreezeResource(FleetBrake brake) {
    this.brake = brake;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Freeze get() {
    return brake.read().map(FreezeResource::frozen).orElseGet(() -> new Freeze().setFrozen(false));
  }

  private static Freeze frozen(Brake brake) {
    return new Freeze()
        .setFrozen(true)
        .setBy(brake.by())
        .setReason(brake.reason())
        .setSince(brake.since().toEpochMilli());
  }

  /** Answered once no grant can be committed any more. */
  @Allow(Role.OPERATOR)
  @RequestRecord(FreezeRequest.class)
  @RestMethod.Update
  @Override
  public UpdateResponse update(Freeze body) {
    brake.freeze(Caller.of(getContext()), new FreezeRequest(body.data()).getReason());
    return new UpdateResponse(HttpStatus.S_204_NO_CONTENT);
  }

  /** With the {@code since} of a freeze only that one is lifted, whoever froze the fleet since. */
  @Allow(Role.OPERATOR)
  @RestMethod.Delete
  public UpdateResponse lift(
      @QueryParam("reason") String reason, @QueryParam("since") @Optional @Nullable Long since) {
    brake.unfreeze(
        Caller.of(getContext()),
        reason,
        java.util.Optional.ofNullable(since).map(Instant::ofEpochMilli));
    return new UpdateResponse(HttpStatus.S_204_NO_CONTENT);
  }
}
