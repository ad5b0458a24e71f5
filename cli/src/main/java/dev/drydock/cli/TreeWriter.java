package dev.drydock.cli;

import dev.drydock.proto.Json;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.common.FlowStyle;

/** Writes trees of maps, lists and plain values. */
final class TreeWriter {
  private TreeWriter() {}

  static String json(Map<String, Object> tree) {
    return Json.writeTree(tree);
  }

  static String yaml(Object tree) {
    DumpSettings settings =
        DumpSettings.builder().setDefaultFlowStyle(FlowStyle.BLOCK).setSplitLines(false).build();
    StringBuilder text = new StringBuilder();
    Iterator<Object> documents = List.of(tree).iterator();
    text.append(new Dump(settings).dumpAllToString(documents));
    return text.toString();
  }
}
