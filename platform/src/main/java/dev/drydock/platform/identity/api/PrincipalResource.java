package dev.drydock.platform.identity.api;

import com.linkedin.restli.server.annotations.RestLiSimpleResource;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.SimpleResourceTemplate;
import dev.drydock.api.Principal;
import dev.drydock.api.PrincipalRole;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;

/** Who the caller is, so that a console can say it and knows what to offer. */
@RestLiSimpleResource(name = "principal", namespace = "dev.drydock.api")
public final class PrincipalResource extends SimpleResourceTemplate<Principal> {

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Principal get() {
    var caller = Caller.of(getContext());
    return new Principal()
        .setName(caller.name())
        .setTeam(caller.team())
        .setRole(
            switch (caller.role()) {
              case VIEWER -> PrincipalRole.Viewer;
              case OPERATOR -> PrincipalRole.Operator;
              case OWNER -> PrincipalRole.Owner;
              case CONSUMER -> PrincipalRole.Consumer;
              case ADMIN -> PrincipalRole.Admin;
            });
  }
}
