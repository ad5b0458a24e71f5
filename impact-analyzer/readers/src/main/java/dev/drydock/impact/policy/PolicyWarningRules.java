package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds what a policy may say and hardly means: it is in force as written, with a warning. */
final class PolicyWarningRules {
  private static final Set<String> NOTHING = Set.of("0", "0%");
  private static final String NEVER = ": hosts with these applications are never upgraded";

  private final PolicyText text;
  private final JsonNode spec;
  private final List<PolicyFault> doubts = new ArrayList<>();

  private PolicyWarningRules(PolicyText text) {
    this.text = text;
    this.spec = text.tree().path("spec");
  }

  /** Of a policy without faults. */
  static List<PolicyFault> of(PolicyText text) {
    PolicyWarningRules found = new PolicyWarningRules(text);
    found.capacity();
    found.windows();
    return List.copyOf(found.doubts);
  }

  private void doubt(String path, String message) {
    doubts.add(new PolicyFault(path, text.line(path), message));
  }

  private void capacity() {
    int index = 0;
    for (JsonNode rule : spec.path("capacity")) {
      String path = "spec.capacity[" + index++ + "].";
      if (NOTHING.contains(rule.path("maxUnavailable").asText())) {
        doubt(
            path + "maxUnavailable",
            "is %s, which lets no instance go down%s"
                .formatted(rule.path("maxUnavailable").asText(), NEVER));
      }
      if (rule.path("minAvailable").path("capacity").asText().equals("100%")) {
        doubt(path + "minAvailable.capacity", "is 100%, which lets no instance go down" + NEVER);
      }
      if (NOTHING.contains(rule.path("disruptionRate").path("max").asText())) {
        doubt(
            path + "disruptionRate.max",
            "is %s, which lets no instance be disrupted%s"
                .formatted(rule.path("disruptionRate").path("max").asText(), NEVER));
      }
    }
  }

  private void windows() {
    int index = 0;
    for (JsonNode window : spec.path("windows")) {
      String path = "spec.windows[" + index++ + "]";
      String from = window.path("from").asText();
      if (from.equals(window.path("to").asText())) {
        doubt(
            path + ".to",
            "is %s, as from is: the window is open for 24 hours, until %s on the next day; write 00:00 to 24:00 for a whole day"
                .formatted(from, from));
      }
    }
  }
}
