package dev.drydock.platform.identity;

import com.linkedin.restli.server.ResourceContext;

/** Finds the principal of the call a resource method serves. */
public final class Caller {
  /** Name of the request attribute under which the HTTP server hands the principal on. */
  public static final String ATTRIBUTE = "drydock.principal";

  private Caller() {}

  /**
   * The principal of this call.
   *
   * @throws IllegalStateException if the call did not come through the authenticating server
   */
  public static Principal of(ResourceContext context) {
    Object principal = context.getRawRequestContext().getLocalAttr(ATTRIBUTE);
    if (principal instanceof Principal known) {
      return known;
    }
    throw new IllegalStateException("a resource was called without a principal");
  }
}
