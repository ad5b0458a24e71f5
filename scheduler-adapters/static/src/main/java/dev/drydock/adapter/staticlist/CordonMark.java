package dev.drydock.adapter.staticlist;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The mark of a cordoned host, kept on its data partition: which grant cordoned it, which instances
 * were in rotation then, and which were not healthy. Recover puts the instances of the first list
 * back in rotation, and demands health of all but those of the second. So does another adapter
 * process, which knows nothing else of the cordon.
 *
 * @param sick what is not in it was healthy, or must become so all the same: a file without the
 *     field excuses nobody
 */
record CordonMark(String grant, List<String> serving, List<String> sick) {
  /** Before an instance that was not healthy. */
  private static final String SICK = "sick ";

  CordonMark {
    serving = List.copyOf(serving);
    sick = List.copyOf(sick);
  }

  /** First line the grant, then a line per instance in rotation, then one per sick instance. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add(grant);
    lines.addAll(serving);
    sick.forEach(instance -> lines.add(SICK + instance));
    return String.join("\n", lines) + "\n";
  }

  static Optional<CordonMark> parse(List<String> lines) {
    if (lines.isEmpty()) {
      return Optional.empty();
    }
    List<String> rest = lines.subList(1, lines.size());
    return Optional.of(
        new CordonMark(
            lines.getFirst(),
            rest.stream().filter(line -> !line.startsWith(SICK)).toList(),
            rest.stream()
                .filter(line -> line.startsWith(SICK))
                .map(line -> line.substring(SICK.length()))
                .toList()));
  }
}
