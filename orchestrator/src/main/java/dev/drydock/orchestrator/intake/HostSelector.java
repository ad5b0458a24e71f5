package dev.drydock.orchestrator.intake;

import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;

/**
 * Hosts by their labels, in the words of Kubernetes' label selectors: {@code rack=r1, os-family in
 * (apt, dnf), !spare}. All of its requirements have to be met.
 */
record HostSelector(List<Requirement> requirements) {
  private static final String KEY = "[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,251}[A-Za-z0-9])?";
  private static final String VALUE = "(?:[A-Za-z0-9](?:[A-Za-z0-9._:/-]{0,251}[A-Za-z0-9])?)?";
  private static final Pattern EQUALITY =
      Pattern.compile("(?<key>%s)\\s*(?<op>==?|!=)\\s*(?<value>%s)".formatted(KEY, VALUE));
  private static final Pattern SET =
      Pattern.compile("(?<key>%s)\\s+(?<op>in|notin)\\s*\\((?<values>[^()]*)\\)".formatted(KEY));
  private static final Pattern PRESENCE =
      Pattern.compile("(?<not>!?)\\s*(?<key>%s)".formatted(KEY));
  private static final Pattern ONE_VALUE = Pattern.compile(VALUE);

  /** A comma that is not inside parentheses. */
  private static final Pattern AND = Pattern.compile(",(?![^(]*\\))");

  HostSelector {
    requirements = List.copyOf(requirements);
  }

  /** What a label has to be. */
  sealed interface Requirement {
    boolean isMet(Map<String, String> labels);
  }

  /** It is there, with one of these values; or it is not. */
  private record Among(String key, List<String> values, boolean wanted) implements Requirement {
    @Override
    public boolean isMet(Map<String, String> labels) {
      String value = labels.get(key);
      return (value != null && values.contains(value)) == wanted;
    }
  }

  /** It is there, whatever it says; or it is not. */
  private record Present(String key, boolean wanted) implements Requirement {
    @Override
    public boolean isMet(Map<String, String> labels) {
      return labels.containsKey(key) == wanted;
    }
  }

  boolean selects(Map<String, String> labels) {
    return requirements.stream().allMatch(requirement -> requirement.isMet(labels));
  }

  /** Those that are reported now, by name. */
  List<String> hosts(Handle handle) {
    return handle
        .createQuery(
            """
            SELECT name, labels::text AS labels FROM hosts
            WHERE vanished_at IS NULL ORDER BY name COLLATE "C"
            """)
        .map((row, context) -> Map.entry(row.getString("name"), labels(row.getString("labels"))))
        .stream()
        .filter(host -> selects(host.getValue()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static Map<String, String> labels(String json) {
    Map<String, String> labels = new HashMap<>();
    Json.readTree(json).forEach((key, value) -> labels.put(key, String.valueOf(value)));
    return labels;
  }

  /**
   * Reads one.
   *
   * @throws IllegalArgumentException with what in it is not understood
   */
  static HostSelector parse(String text) {
    List<Requirement> requirements = new ArrayList<>();
    for (String part : AND.split(text, -1)) {
      String word = part.strip();
      requirements.add(
          Stream.of(equality(word), among(word), presence(word))
              .flatMap(Optional::stream)
              .findFirst()
              .orElseThrow(() -> new IllegalArgumentException(notUnderstood(word))));
    }
    return new HostSelector(requirements);
  }

  private static String notUnderstood(String word) {
    return FreeText.shown(word)
        + " is no requirement; write key=value, key!=value, key in (a, b), key notin (a, b), key or"
        + " !key, with commas between";
  }

  private static Optional<Requirement> equality(String word) {
    Matcher found = EQUALITY.matcher(word);
    return found.matches()
        ? Optional.of(
            new Among(
                found.group("key"), List.of(found.group("value")), !found.group("op").equals("!=")))
        : Optional.empty();
  }

  private static Optional<Requirement> among(String word) {
    Matcher found = SET.matcher(word);
    if (!found.matches()) {
      return Optional.empty();
    }
    List<String> values =
        Stream.of(found.group("values").split(",", -1)).map(String::strip).toList();
    return values.stream().allMatch(value -> ONE_VALUE.matcher(value).matches())
        ? Optional.of(new Among(found.group("key"), values, found.group("op").equals("in")))
        : Optional.empty();
  }

  private static Optional<Requirement> presence(String word) {
    Matcher found = PRESENCE.matcher(word);
    return found.matches()
        ? Optional.of(new Present(found.group("key"), found.group("not").isEmpty()))
        : Optional.empty();
  }
}
