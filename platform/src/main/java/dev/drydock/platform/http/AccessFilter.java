package dev.drydock.platform.http;

import com.linkedin.restli.server.filter.Filter;
import com.linkedin.restli.server.filter.FilterRequestContext;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Default deny: a method is called only by the roles its {@link Allow} names, and by
 * administrators.
 */
final class AccessFilter implements Filter {

  @Override
  public CompletableFuture<Void> onRequest(FilterRequestContext context) {
    Allow allow = context.getMethod().getAnnotation(Allow.class);
    if (allow == null) {
      throw ApiException.forbidden("NOT_ALLOWED", operation(context) + " is open to nobody.");
    }
    if (!(context.getRequestContextLocalAttrs().get(Caller.ATTRIBUTE)
        instanceof Principal caller)) {
      throw new IllegalStateException("a request came this far without a principal");
    }
    require(caller, Arrays.asList(allow.value()), operation(context));
    return CompletableFuture.completedFuture(null);
  }

  /** Refuses a caller whose role is not among the allowed ones. */
  static void require(Principal caller, Collection<Role> allowed, String operation) {
    if (caller.role() != Role.ADMIN && !allowed.contains(caller.role())) {
      throw ApiException.forbidden(
          "ROLE_NOT_ALLOWED",
          operation
              + " needs role "
              + allowed.stream().map(Role::word).sorted().collect(Collectors.joining(" or "))
              + "; "
              + caller.name()
              + " has role "
              + caller.role().word()
              + ".");
    }
  }

  private static String operation(FilterRequestContext context) {
    String name =
        switch (context.getMethodType()) {
          case ACTION -> "action " + context.getActionName();
          case FINDER -> "finder " + context.getFinderName();
          default -> context.getMethodType().toString();
        };
    return name + " of " + context.getResourceName();
  }
}
