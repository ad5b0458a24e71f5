package dev.drydock.orchestrator.store;

import dev.drydock.lock.core.Verdict;
import dev.drydock.proto.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A verdict with the numbers it rests on, as the JSON kept with a grant or a check. */
final class Evidence {
  private Evidence() {}

  static String json(Verdict verdict) {
    List<Map<String, Object>> findings = verdict.findings().stream().map(Evidence::tree).toList();
    return Json.writeTree(
        Map.of(
            "decision",
            verdict.decision().word(),
            "reason",
            verdict.reason(),
            "findings",
            findings));
  }

  private static Map<String, Object> tree(Verdict.Finding finding) {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("application", finding.application());
    tree.put("rule", finding.rule());
    tree.put("desired", finding.desired());
    tree.put("up", finding.up());
    tree.put("taken", finding.taken());
    tree.put("required", finding.required());
    tree.put("allows", finding.allows());
    tree.put("detail", finding.detail());
    return tree;
  }
}
