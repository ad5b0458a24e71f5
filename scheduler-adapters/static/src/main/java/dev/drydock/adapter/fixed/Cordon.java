package dev.drydock.adapter.fixed;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The mark of a frozen host, kept on its data partition: which grant froze it, and which instances
 * were in rotation then. Recover puts back exactly those, whoever runs it and whatever was lost
 * meanwhile.
 */
record Cordon(String grant, List<String> serving) {
  Cordon {
    serving = List.copyOf(serving);
  }

  /** First line the grant, then an instance per line. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(grant);
    lines.addAll(serving);
    return String.join("\n", lines) + "\n";
  }

  static Optional<Cordon> parse(List<String> lines) {
    return lines.isEmpty()
        ? Optional.empty()
        : Optional.of(new Cordon(lines.getFirst(), lines.subList(1, lines.size())));
  }
}
