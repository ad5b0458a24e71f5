package dev.drydock.cli;

import dev.drydock.api.HostUpgrade;
import dev.drydock.proto.client.WireCollections;
import java.util.HashMap;
import java.util.Map;

/** For programs: every changed host upgrade as a line of JSON. */
final class RecordProgress implements ProgressView {
  private final Output output;
  private final Map<String, String> shown = new HashMap<>();

  RecordProgress(Output output) {
    this.output = output;
  }

  @Override
  public void show(RolloutSnapshot now) {
    for (HostUpgrade host : now.hosts()) {
      String json = TreeWriter.json(WireCollections.tree(host));
      if (!json.equals(shown.put(host.getHost(), json))) {
        output.line(json);
      }
    }
  }

  @Override
  public void end(RolloutSnapshot last) {
    output.line(TreeWriter.json(WireCollections.tree(last.rollout())));
  }
}
