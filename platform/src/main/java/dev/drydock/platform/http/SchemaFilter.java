package dev.drydock.platform.http;

import com.linkedin.restli.server.filter.FilterRequestContext;
import com.linkedin.restli.server.validation.RestLiValidationFilter;
import java.util.concurrent.CompletableFuture;

/** Rest.li's own validation, except of bodies that are not the resource's record. */
final class SchemaFilter extends RestLiValidationFilter {
  @Override
  public CompletableFuture<Void> onRequest(FilterRequestContext context) {
    return context.getMethod().isAnnotationPresent(RequestRecord.class)
        ? CompletableFuture.completedFuture(null)
        : super.onRequest(context);
  }
}
