package dev.drydock.platform.http;

import com.linkedin.data.template.RecordTemplate;
import com.linkedin.restli.common.ResourceMethod;
import com.linkedin.restli.server.RestLiRequestData;
import com.linkedin.restli.server.filter.Filter;
import com.linkedin.restli.server.filter.FilterRequestContext;
import dev.drydock.api.ErrorDetail;
import dev.drydock.proto.Validation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Refuses a request whose records miss a field, have one of the wrong type or one the schema does
 * not know, naming all of them. Rest.li's own validation says nothing about unknown fields and
 * nothing about the parameters of actions.
 */
final class StrictFilter implements Filter {
  /** A patch is checked by Rest.li's filter, which knows its language. */
  private static final Set<ResourceMethod> WHOLE_RECORDS =
      EnumSet.of(
          ResourceMethod.CREATE,
          ResourceMethod.UPDATE,
          ResourceMethod.BATCH_CREATE,
          ResourceMethod.BATCH_UPDATE,
          ResourceMethod.ACTION);

  @Override
  public CompletableFuture<Void> onRequest(FilterRequestContext context) {
    RestLiRequestData data = context.getRequestData();
    if (data != null && WHOLE_RECORDS.contains(context.getMethodType())) {
      List<ErrorDetail> faults = new ArrayList<>();
      for (RecordTemplate record : records(data)) {
        faults.addAll(Validation.strict(record));
      }
      if (!faults.isEmpty()) {
        throw ApiException.invalid(
            "INVALID_REQUEST", "The request does not match its schema; see details.", faults);
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  private static List<RecordTemplate> records(RestLiRequestData data) {
    List<RecordTemplate> records = new ArrayList<>();
    if (data.hasEntity()) {
      records.add(data.getEntity());
    }
    if (data.hasBatchEntities()) {
      records.addAll(data.getBatchEntities());
    }
    if (data.hasBatchKeyEntityMap()) {
      records.addAll(data.getBatchKeyEntityMap().values());
    }
    return records;
  }
}
