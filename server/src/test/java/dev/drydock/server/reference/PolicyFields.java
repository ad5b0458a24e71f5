package dev.drydock.server.reference;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;

/**
 * The fields that a policy may have, by its JSON Schema, each with its value in an example. Pure.
 */
final class PolicyFields {
  private PolicyFields() {}

  /**
   * One field.
   *
   * @param says what it means; empty where the schema does not tell
   * @param takes what may stand there
   * @param standard what holds without it; empty if nothing is stated
   * @param example empty if the example has none
   */
  record Field(String path, String says, String takes, String standard, String example) {}

  /** All that are no mere mappings, in the order of the schema. */
  static List<Field> of(JsonNode schema, JsonNode example) {
    List<Field> found = new ArrayList<>();
    below("", schema, List.of(example), found);
    return List.copyOf(found);
  }

  private static void below(
      String path, JsonNode schema, List<JsonNode> examples, List<Field> found) {
    schema
        .path("properties")
        .properties()
        .forEach(
            entry -> {
              String name = entry.getKey();
              List<JsonNode> values =
                  examples.stream().filter(it -> it.has(name)).map(it -> it.get(name)).toList();
              field(path.isEmpty() ? name : path + "." + name, entry.getValue(), values, found);
            });
  }

  private static void field(
      String path, JsonNode schema, List<JsonNode> values, List<Field> found) {
    JsonNode item = schema.path("items");
    if (item.has("properties")) {
      below(path + "[]", item, values.stream().flatMap(PolicyFields::items).toList(), found);
      return;
    }
    if (!schema.has("properties") || schema.has("title")) {
      Optional<JsonNode> value =
          values.stream().filter(it -> !it.isObject() || !schema.has("properties")).findFirst();
      found.add(
          new Field(
              path,
              schema.path("title").asText(),
              schema.path("description").asText(),
              schema.path("default").asText(),
              value.map(it -> flow(path.replaceFirst(".*\\.", ""), it)).orElse("")));
    }
    below(path, schema, values.stream().filter(JsonNode::isObject).toList(), found);
  }

  private static java.util.stream.Stream<JsonNode> items(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false);
  }

  private static String flow(String name, JsonNode value) {
    return name + ": " + flow(value);
  }

  private static String flow(JsonNode value) {
    if (value.isArray()) {
      return "[" + String.join(", ", items(value).map(PolicyFields::flow).toList()) + "]";
    }
    if (value.isObject()) {
      List<String> parts = new ArrayList<>();
      value.properties().forEach(it -> parts.add(flow(it.getKey(), it.getValue())));
      return "{" + String.join(", ", parts) + "}";
    }
    String text = value.asText();
    return text.matches("[0-9:]+:[0-9:]+")
        ? '"' + text + '"'
        : text.contains("{") ? "'" + text + "'" : text;
  }
}
