package dev.drydock.proto.client;

import com.linkedin.data.template.RecordTemplate;
import com.linkedin.data.template.StringArray;
import com.linkedin.data.template.StringMap;
import dev.drydock.proto.Json;
import java.util.Collection;
import java.util.Map;

/** Turns plain collections into the ones the wire records take. */
public final class WireCollections {
  private WireCollections() {}

  public static StringArray strings(Collection<String> texts) {
    return new StringArray(texts);
  }

  /** A record as a tree of maps, lists and plain values. */
  public static Map<String, Object> tree(RecordTemplate record) {
    return Json.readTree(Json.write(record));
  }

  public static StringMap map(Map<String, String> entries) {
    return new StringMap(entries);
  }
}
