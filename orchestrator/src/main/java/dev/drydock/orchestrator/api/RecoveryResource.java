package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.annotations.RestLiSimpleResource;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.SimpleResourceTemplate;
import dev.drydock.api.Recovery;
import dev.drydock.orchestrator.recovery.RecoveryProgress;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;

/** Whether a store that was restored is being recovered, and how far that is. */
@RestLiSimpleResource(name = "recovery", namespace = "dev.drydock.api")
public final class RecoveryResource extends SimpleResourceTemplate<Recovery> {
  private final RecoveryProgress standing;

  /** Shows what rows tell, so every process shows the same. */
  public RecoveryResource(RecoveryProgress standing) {
    this.standing = standing;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Recovery get() {
    return standing.read();
  }
}
