package dev.drydock.proto.client;

import com.linkedin.data.DataMap;
import com.linkedin.data.codec.JacksonDataCodec;
import com.linkedin.data.template.RecordTemplate;
import java.io.IOException;
import java.util.Map;

/** Writes request bodies: an entity, or the named parameters of an action. */
final class Body {
  private static final JacksonDataCodec CODEC = new JacksonDataCodec();

  private Body() {}

  static String entity(RecordTemplate entity) {
    return json(entity.data());
  }

  static String parameters(Map<String, Object> parameters) {
    DataMap body = new DataMap();
    parameters.forEach(
        (name, value) ->
            body.put(name, value instanceof RecordTemplate entity ? entity.data() : value));
    return json(body);
  }

  private static String json(DataMap data) {
    try {
      return CODEC.mapToString(data);
    } catch (IOException e) {
      throw new IllegalStateException("a request could not be written as JSON", e);
    }
  }
}
