package dev.drydock.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The commands of {@code drydock} in the blocks of a page, as a shell would split them. Pure. */
final class PageCommands {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\w*\\n(.*?)^```");
  private static final Pattern LINE = Pattern.compile("(?m)^(?:cli/)?drydock (.*)$");
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|([^\\s\"']+)");

  private PageCommands() {}

  /** The words behind {@code drydock} of each command. */
  static List<List<String>> in(String page) {
    return BLOCK
        .matcher(page)
        .results()
        .map(block -> block.group(1).replaceAll("\\\\\n\\s*", ""))
        .flatMap(block -> LINE.matcher(block).results())
        .map(line -> words(line.group(1)))
        .toList();
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    for (MatchResult found : WORD.matcher(line).results().toList()) {
      if (found.group().startsWith("#")) {
        break;
      }
      words.add(
          found.group(1) != null
              ? found.group(1)
              : found.group(2) != null ? found.group(2) : found.group());
    }
    return words;
  }
}
