package dev.drydock.proto.client;

import com.linkedin.data.ByteString;
import com.linkedin.data.DataList;
import com.linkedin.data.DataMap;
import com.linkedin.data.codec.JacksonDataCodec;
import com.linkedin.data.template.DataTemplateUtil;
import com.linkedin.data.template.RecordTemplate;
import dev.drydock.api.ErrorDetail;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A complete answer of the server, and how its envelopes (value, elements, results, error) are
 * opened.
 */
record ServerResponse(int status, byte[] body, Optional<String> id) {
  private static final JacksonDataCodec CODEC = new JacksonDataCodec();

  boolean isOk() {
    return status >= 200 && status < 300;
  }

  <T extends RecordTemplate> T entity(Class<T> type) {
    return DataTemplateUtil.wrap(map(), type);
  }

  /** The result of an action; null when it has none. */
  @Nullable Object value() {
    return body.length == 0 ? null : map().get("value");
  }

  <T extends RecordTemplate> T value(Class<T> type) {
    if (value() instanceof DataMap data) {
      return DataTemplateUtil.wrap(data, type);
    }
    throw unexpected("an object as value");
  }

  String text() {
    if (value() instanceof String text) {
      return text;
    }
    throw unexpected("a text as value");
  }

  long number() {
    if (value() instanceof Number number) {
      return number.longValue();
    }
    throw unexpected("a number as value");
  }

  /** One page of a collection or finder. */
  <T extends RecordTemplate> List<T> elements(Class<T> type) {
    if (map().get("elements") instanceof DataList list) {
      return records(list, type);
    }
    throw unexpected("a list of elements");
  }

  /** What a finder says beside its elements. */
  <T extends RecordTemplate> T metadata(Class<T> type) {
    if (map().get("metadata") instanceof DataMap data) {
      return DataTemplateUtil.wrap(data, type);
    }
    throw unexpected("metadata");
  }

  /** How many entries the whole of a collection or finder has. */
  int total() {
    if (map().get("paging") instanceof DataMap paging
        && paging.get("total") instanceof Number total) {
      return total.intValue();
    }
    throw unexpected("the total of its pages");
  }

  /** What a batch_get found, by key. */
  <T extends RecordTemplate> Map<String, T> results(Class<T> type) {
    if (!(map().get("results") instanceof DataMap results)) {
      throw unexpected("results by key");
    }
    Map<String, T> found = new LinkedHashMap<>();
    results.forEach((key, value) -> found.put(key, DataTemplateUtil.wrap(value, type)));
    return found;
  }

  CallException error(String what) {
    DataMap error = status == 0 || body.length == 0 || body[0] != '{' ? new DataMap() : map();
    String message =
        error.get("message") instanceof String text ? text : what + ": HTTP status " + status;
    String code = error.get("code") instanceof String text ? text : "HTTP_" + status;
    List<ErrorDetail> details =
        error.get("details") instanceof DataList list
            ? records(list, ErrorDetail.class)
            : List.of();
    return new CallException(status, code, message, details);
  }

  private static <T extends RecordTemplate> List<T> records(DataList list, Class<T> type) {
    List<T> records = new ArrayList<>(list.size());
    list.forEach(data -> records.add(DataTemplateUtil.wrap(data, type)));
    return records;
  }

  private DataMap map() {
    try {
      return CODEC.readMap(ByteString.unsafeWrap(body).asInputStream());
    } catch (IOException e) {
      throw new CallException(
          CallException.BAD_ANSWER, "the server's answer is not JSON: " + start(), e);
    }
  }

  private CallException unexpected(String wanted) {
    return new CallException(
        status,
        CallException.BAD_ANSWER,
        "the server's answer lacks " + wanted + ": " + start(),
        List.of());
  }

  private String start() {
    return ByteString.unsafeWrap(body, 0, Math.min(body.length, 200)).asString("UTF-8");
  }
}
