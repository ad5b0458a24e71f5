package dev.drydock.impact.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The YAML documents of one file, which lines of three hyphens divide. */
public final class PolicyDocuments {
  /** At the begin of a line nothing else can look like it, in no text and no comment. */
  private static final Pattern DIVIDER = Pattern.compile("(?m)^---(?=\\s|$)");

  private static final Pattern NOTHING =
      Pattern.compile("(?:\\s++|---(?=\\s|$)|#.*|%.*|\\.\\.\\.(?=\\s|$))*+");

  private PolicyDocuments() {}

  /**
   * One of them.
   *
   * @param before how many lines of the file come before its first
   */
  public record Document(int before, String yaml) {}

  /** Those that say something; a file with one at most is that one as it is. */
  public static List<Document> of(String file) {
    List<Integer> begins = new ArrayList<>(List.of(0));
    Matcher dividers = DIVIDER.matcher(file);
    while (dividers.find()) {
      begins.add(dividers.start());
    }
    begins.add(file.length());
    List<Document> documents = new ArrayList<>();
    for (int i = 0; i + 1 < begins.size(); i++) {
      String yaml = file.substring(begins.get(i), begins.get(i + 1));
      if (!NOTHING.matcher(yaml).matches()) {
        int before = (int) file.substring(0, begins.get(i)).chars().filter(c -> c == '\n').count();
        documents.add(new Document(before, yaml));
      }
    }
    return documents.size() > 1 ? documents : List.of(new Document(0, file));
  }
}
