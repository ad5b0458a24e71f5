package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * One YAML document as a JSON tree that remembers on which line each field stands.
 *
 * @param tree the document; null node when it is empty
 * @param lines line of each field, by path
 * @param faults what YAML itself does not allow: broken syntax, a field given twice
 */
record PolicyText(JsonNode tree, Map<String, Integer> lines, List<PolicyFault> faults) {
  /** Path of the document itself, in faults that concern all of it. */
  static final String ROOT = "policy";

  private static final int CHARACTERS_MAX = 32 * 1024;
  private static final int DEPTH_MAX = 20;
  private static final LoadSettings SETTINGS =
      LoadSettings.builder()
          .setLabel("policy")
          .setCodePointLimit(CHARACTERS_MAX)
          .setMaxAliasesForCollections(0)
          .build();

  static PolicyText read(String yaml) {
    Reading reading = new Reading();
    try {
      if (yaml.length() > CHARACTERS_MAX) {
        return unreadable(1, "is longer than %d characters".formatted(CHARACTERS_MAX));
      }
      if (depth(yaml) > DEPTH_MAX) {
        return unreadable(1, "is nested more than %d levels deep".formatted(DEPTH_MAX));
      }
      Optional<Node> root = new Compose(SETTINGS).composeString(yaml);
      JsonNode tree = root.map(node -> reading.node(node, "")).orElse(NullNode.getInstance());
      return new PolicyText(tree, Map.copyOf(reading.lines), List.copyOf(reading.faults));
    } catch (MarkedYamlEngineException broken) {
      Optional<Mark> mark = broken.getProblemMark().or(broken::getContextMark);
      return unreadable(mark.map(PolicyText::line).orElse(1), "is not YAML: " + problem(broken));
    } catch (YamlEngineException broken) {
      return unreadable(1, "is not YAML: " + problem(broken));
    }
  }

  private static String problem(YamlEngineException broken) {
    String text =
        broken instanceof MarkedYamlEngineException marked && marked.getProblem() != null
            ? marked.getProblem()
            : String.valueOf(broken.getMessage());
    return text.lines().findFirst().orElse("");
  }

  private static PolicyText unreadable(int line, String message) {
    return new PolicyText(
        NullNode.getInstance(), Map.of(), List.of(new PolicyFault(ROOT, line, message)));
  }

  /** Counted on events, because composing a tree recurses. */
  private static int depth(String yaml) {
    int depth = 0;
    int deepest = 0;
    for (Event event : new Parse(SETTINGS).parseString(yaml)) {
      switch (event.getEventId()) {
        case MappingStart, SequenceStart -> deepest = Math.max(deepest, ++depth);
        case MappingEnd, SequenceEnd -> depth--;
        default -> {}
      }
    }
    return deepest;
  }

  private static int line(Mark mark) {
    return mark.getLine() + 1;
  }

  /** Line of the field, or of the nearest one around it. */
  int line(String path) {
    String at = path;
    while (!at.isEmpty()) {
      Integer line = lines.get(at);
      if (line != null) {
        return line;
      }
      at = at.substring(0, Math.max(0, Math.max(at.lastIndexOf('.'), at.lastIndexOf('['))));
    }
    return lines.getOrDefault("", 1);
  }

  private static final class Reading {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Map<String, Integer> lines = new HashMap<>();
    private final List<PolicyFault> faults = new ArrayList<>();

    JsonNode node(Node node, String path) {
      node.getStartMark().ifPresent(mark -> lines.putIfAbsent(path, line(mark)));
      return switch (node) {
        case MappingNode mapping -> mapping(mapping, path);
        case SequenceNode sequence -> sequence(sequence, path);
        case ScalarNode scalar -> scalar(scalar);
        default -> NullNode.getInstance();
      };
    }

    private JsonNode mapping(MappingNode mapping, String path) {
      ObjectNode object = JSON.objectNode();
      for (NodeTuple entry : mapping.getValue()) {
        String key =
            entry.getKeyNode() instanceof ScalarNode scalar ? scalar.getValue() : "(not a name)";
        String child = path.isEmpty() ? key : path + "." + key;
        int line = entry.getKeyNode().getStartMark().map(PolicyText::line).orElse(1);
        if (object.has(key)) {
          String message = "is given twice, first on line %d".formatted(lines.get(child));
          faults.add(new PolicyFault(child, line, message));
        } else {
          lines.put(child, line);
          object.set(key, node(entry.getValueNode(), child));
        }
      }
      return object;
    }

    private JsonNode sequence(SequenceNode sequence, String path) {
      ArrayNode array = JSON.arrayNode();
      for (Node item : sequence.getValue()) {
        array.add(node(item, path + "[" + array.size() + "]"));
      }
      return array;
    }

    private static JsonNode scalar(ScalarNode scalar) {
      String text = scalar.getValue();
      Tag tag = scalar.getTag();
      try {
        if (tag.equals(Tag.INT) || tag.equals(Tag.FLOAT)) {
          return JSON.numberNode(new BigDecimal(text));
        }
      } catch (NumberFormatException noDecimal) {
        return JSON.textNode(text); // .inf and .nan: the schema refuses them as text.
      }
      if (tag.equals(Tag.BOOL)) {
        return JSON.booleanNode(Boolean.parseBoolean(text));
      }
      return tag.equals(Tag.NULL) ? NullNode.getInstance() : JSON.textNode(text);
    }
  }
}
