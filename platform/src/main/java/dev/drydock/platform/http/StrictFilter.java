package dev.drydock.platform.http;

import com.linkedin.data.DataMap;
import com.linkedin.data.template.DataTemplateUtil;
import com.linkedin.data.template.DynamicRecordTemplate;
import com.linkedin.data.template.RecordTemplate;
import com.linkedin.restli.common.ResourceMethod;
import com.linkedin.restli.server.RestLiRequestData;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.filter.Filter;
import com.linkedin.restli.server.filter.FilterRequestContext;
import dev.drydock.api.ErrorDetail;
import dev.drydock.proto.Json;
import dev.drydock.proto.Validation;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Refuses a request whose records miss a field, have one of the wrong type or one the schema does
 * not know, naming all of them. Rest.li's own validation says nothing about unknown fields and
 * nothing about the parameters of actions.
 */
final class StrictFilter implements Filter {
  /** Request attribute with the body as text. */
  static final String BODY = "drydock.body";

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
      if (context.getMethodType() == ResourceMethod.ACTION) {
        faults.addAll(parameterFaults(context));
      } else {
        RequestRecord requestRecord = context.getMethod().getAnnotation(RequestRecord.class);
        for (RecordTemplate record : records(data)) {
          faults.addAll(
              Validation.strict(
                  requestRecord == null
                      ? record
                      : DataTemplateUtil.wrap(record.data(), requestRecord.value())));
        }
      }
      if (!faults.isEmpty()) {
        throw ApiException.invalid(
            "INVALID_REQUEST", "The request does not match its schema; see details.", faults);
      }
    }
    return CompletableFuture.completedFuture(null);
  }

  /**
   * Judges the parameters as they were sent: by now Rest.li has cut its own copy's numbers down to
   * their types.
   */
  private static List<ErrorDetail> parameterFaults(FilterRequestContext context) {
    String body = String.valueOf(context.getRequestContextLocalAttrs().get(BODY));
    DataMap sent = new DataMap(Json.readTree(body.isBlank() ? "{}" : body));
    List<ErrorDetail> faults =
        Validation.strict(new DynamicRecordTemplate(sent, context.getActionRequestSchema()));
    Set<String> absent = optionalParameters(context.getMethod());
    absent.removeAll(sent.keySet());
    faults.removeIf(fault -> absent.contains(fault.getPath()));
    return faults;
  }

  /** Rest.li's schema of an action does not say which of its parameters may be absent. */
  private static Set<String> optionalParameters(Method method) {
    Set<String> names = new HashSet<>();
    for (Parameter parameter : method.getParameters()) {
      ActionParam named = parameter.getAnnotation(ActionParam.class);
      if (named != null && parameter.isAnnotationPresent(Optional.class)) {
        names.add(named.value());
      }
    }
    return names;
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
