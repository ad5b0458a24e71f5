package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What the schema says about a field: its description, and which fields may stand in it. */
final class SchemaFields {
  private final JsonNode schema;

  SchemaFields(JsonNode schema) {
    this.schema = schema;
  }

  /** What the field has to be, to follow "must be". */
  String description(String path) {
    return at(path).path("description").asText("something else");
  }

  /** What to do about a field the schema does not know. */
  String unknown(String parent, String field) {
    TreeSet<String> known = new TreeSet<>();
    at(parent).path("properties").fieldNames().forEachRemaining(known::add);
    Optional<String> similar = SpellingSuggestion.nearest(field, known);
    String choice = " (%s can be here)".formatted(String.join(", ", known));
    return similar
        .map(name -> "is an unknown field: did you mean %s?".formatted(name))
        .orElse("is not supported by this version" + choice);
  }

  /** The word that was meant, where the field is one of some words. */
  Optional<String> similar(String path, String word) {
    TreeSet<String> words = new TreeSet<>();
    at(path).path("enum").forEach(known -> words.add(known.asText()));
    return SpellingSuggestion.nearest(word, words);
  }

  private JsonNode at(String path) {
    JsonNode node = schema;
    for (String step : steps(path)) {
      if (step.equals("[]")) {
        node = node.path("items");
      } else {
        // What may have any name, such as the parameters of a hook, is described once.
        JsonNode named = node.path("properties").path(step);
        node = named.isMissingNode() ? node.path("additionalProperties") : named;
      }
    }
    return node;
  }

  private static List<String> steps(String path) {
    return List.of(path.replaceAll("\\[\\d+]", ".[]").split("\\.")).stream()
        .filter(step -> !step.isEmpty())
        .toList();
  }
}
