package dev.drydock.platform.http;

import com.linkedin.data.DataMap;
import com.linkedin.data.transform.filter.request.MaskTree;
import com.linkedin.restli.server.ResourceContext;
import dev.drydock.platform.store.FieldMask;
import java.util.HashMap;
import java.util.Map;

/**
 * What {@code fields=} asks for. Rest.li cuts the answer down to it in any case; this is for not
 * reading the rest in the first place. Names are checked against the schema before a resource is
 * called.
 */
public final class Projection {
  /** Every entry of a list or map. */
  private static final String EACH = "$*";

  private Projection() {}

  /** The fields a call wants of each record; all of them if it does not say. */
  public static FieldMask of(ResourceContext context) {
    MaskTree mask = context.getProjectionMask();
    return mask == null ? FieldMask.all() : fields(mask.getDataMap());
  }

  private static FieldMask fields(DataMap mask) {
    if (mask.containsKey(EACH)) {
      return mask.get(EACH) instanceof DataMap each ? fields(each) : FieldMask.all();
    }
    Map<String, FieldMask> wanted = new HashMap<>();
    for (Map.Entry<String, Object> entry : mask.entrySet()) {
      if (entry.getValue() instanceof DataMap within) {
        wanted.put(entry.getKey(), fields(within));
      } else if (Integer.valueOf(1).equals(entry.getValue())) {
        wanted.put(entry.getKey(), FieldMask.all());
      } else {
        return FieldMask.all(); // All but something: that is rare, and cut out afterwards.
      }
    }
    return FieldMask.of(wanted);
  }
}
