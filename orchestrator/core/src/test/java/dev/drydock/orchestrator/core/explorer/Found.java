package dev.drydock.orchestrator.core.explorer;

import java.util.HashMap;
import java.util.Map;

/** What a diagnosis may find. */
enum Found {
  /** What the host has is known, and nothing works there. */
  QUIET(Map.of()),
  /** Only people can help. */
  HOPELESS(Map.of("diagnosis.recoverable", "false")),
  /** Nobody recognises what the host has. */
  UNRECOGNISED(Map.of("diagnosis.signature", "unknown")),
  /** Others work there. */
  OTHERS(Map.of("diagnosis.others", "apt-get (7)"));

  private final Map<String, String> facts;

  Found(Map<String, String> more) {
    facts = new HashMap<>();
    facts.put("diagnosis.reachable", "true");
    facts.put("diagnosis.running", "");
    facts.put("diagnosis.dataOwed", "false");
    facts.put("diagnosis.signature", "odd");
    facts.putAll(more);
  }

  /** As the words of its consumer tell it; quiet where they tell nothing. */
  static Found of(String says) {
    return says.isEmpty() ? QUIET : valueOf(says);
  }

  Map<String, String> facts() {
    return facts;
  }
}
