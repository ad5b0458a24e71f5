package dev.drydock.cli;

import dev.drydock.api.HostUpgrade;
import dev.drydock.proto.client.Values;
import java.util.HashMap;
import java.util.Map;

/** For programs: every changed host upgrade as a line of JSON. */
final class RecordProgress implements Progress {
  private final Output output;
  private final Map<String, String> shown = new HashMap<>();

  RecordProgress(Output output) {
    this.output = output;
  }

  @Override
  public void show(Snapshot now) {
    for (HostUpgrade host : now.hosts()) {
      String json = Trees.json(Values.tree(host));
      if (!json.equals(shown.put(host.getHost(), json))) {
        output.line(json);
      }
    }
  }

  @Override
  public void end(Snapshot last) {
    output.line(Trees.json(Values.tree(last.rollout())));
  }
}
