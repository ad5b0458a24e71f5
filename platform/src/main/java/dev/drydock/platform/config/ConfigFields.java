package dev.drydock.platform.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * One section of a YAML or JSON file, read field by field. A fault does not stop the reading: it is
 * noted with its line, a stand-in is returned, and {@link #finish()} reports all of them at once.
 * Fields nobody asked for are faults too. Not safe for use by many threads.
 */
public final class ConfigFields {
  private final Source source;
  private final String path;
  private final int line;
  private final Map<String, Node> nodes;
  private final TreeSet<String> unread;

  private record Source(Path file, List<String> faults, List<ConfigFields> sections) {}

  private ConfigFields(Source source, String path, int line, Map<String, Node> nodes) {
    this.source = source;
    this.path = path;
    this.line = line;
    this.nodes = nodes;
    this.unread = new TreeSet<>(nodes.keySet());
    source.sections().add(this);
  }

  /**
   * Reads the file.
   *
   * @throws ConfigException if it cannot be read or is no mapping of fields
   */
  public static ConfigFields of(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException unreadable) {
      throw new ConfigException(file, List.of("cannot be read (" + unreadable + ")"));
    }
    Source source = new Source(file, new ArrayList<>(), new ArrayList<>());
    try {
      LoadSettings settings = LoadSettings.builder().setAllowDuplicateKeys(false).build();
      Optional<Node> root = new Compose(settings).composeString(text);
      ConfigFields configFields = section(source, "", 1, root.orElse(null));
      if (!source.faults().isEmpty()) {
        throw new ConfigException(file, source.faults());
      }
      return configFields;
    } catch (YamlEngineException malformed) {
      String message = String.valueOf(malformed.getMessage()).replaceAll("\\s+", " ");
      throw new ConfigException(file, List.of("is not valid YAML: " + message));
    }
  }

  /** The section, empty with a fault if it is missing. */
  public ConfigFields section(String name) {
    return section(source, join(name), line, take(name));
  }

  /** The sections of a list. */
  public List<ConfigFields> sections(String name) {
    List<ConfigFields> sections = new ArrayList<>();
    for (Node item : items(name)) {
      sections.add(section(source, join(name) + "[" + sections.size() + "]", lineOf(item), item));
    }
    return sections;
  }

  /** Whether the field is written at all. */
  public boolean has(String name) {
    return nodes.containsKey(name);
  }

  /** A text that must be there. */
  public String text(String name) {
    Node node = take(name);
    String text = node == null ? "" : scalar(join(name), node);
    if (node == null) {
      fault(line, join(name) + " is missing");
    } else if (text.isBlank() && node instanceof ScalarNode) {
      fault(lineOf(node), join(name) + " is empty");
    }
    return text;
  }

  /** A text that may be absent. */
  public Optional<String> optionalText(String name) {
    return has(name) ? Optional.of(text(name)) : Optional.empty();
  }

  /** A list of texts that must have at least one. */
  public List<String> texts(String name) {
    List<String> texts = new ArrayList<>();
    for (Node item : items(name)) {
      texts.add(scalar(join(name) + "[" + texts.size() + "]", item));
    }
    if (texts.isEmpty() && nodes.get(name) instanceof SequenceNode) {
      fault(line, join(name) + " must name at least one");
    }
    return texts;
  }

  /** A whole number that must be there. */
  public int number(String name, int least, int most) {
    String text = text(name);
    Node node = nodes.get(name);
    if (node == null || text.isBlank()) {
      return least;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException noNumber) {
      // Falls through: one message for both faults.
    }
    fault(
        lineOf(node),
        join(name) + " is " + text + ", must be a number from " + least + " to " + most);
    return least;
  }

  /** A whole number with a default. */
  public int number(String name, int least, int most, int fallback) {
    return has(name) ? number(name, least, most) : fallback;
  }

  /** A path; a relative one starts at the folder of this file. */
  public Path file(String name) {
    Path folder =
        Optional.ofNullable(source.file().toAbsolutePath().getParent()).orElse(Path.of("/"));
    return folder.resolve(text(name)).normalize();
  }

  /** Notes a fault of a field the reader understands better. */
  public void fault(String name, String message) {
    Node node = nodes.get(name);
    fault(node == null ? line : lineOf(node), join(name) + " " + message);
  }

  /**
   * Ends the reading of the whole file.
   *
   * @throws ConfigException with all faults of all sections
   */
  public void finish() {
    for (ConfigFields section : source.sections()) {
      for (String name : section.unread) {
        section.fault(name, "is not a known field");
      }
    }
    if (!source.faults().isEmpty()) {
      throw new ConfigException(source.file(), source.faults());
    }
  }

  private static ConfigFields section(Source source, String path, int line, @Nullable Node node) {
    Map<String, Node> nodes = new LinkedHashMap<>();
    if (node instanceof MappingNode mapping) {
      mapping
          .getValue()
          .forEach(
              entry -> {
                if (entry.getKeyNode() instanceof ScalarNode key) {
                  nodes.put(key.getValue(), entry.getValueNode());
                }
              });
      return new ConfigFields(source, path, lineOf(node), nodes);
    }
    String what = path.isEmpty() ? "the file" : path;
    source
        .faults()
        .add("line " + line + ": " + what + (node == null ? " is missing" : " must have fields"));
    return new ConfigFields(source, path, line, nodes);
  }

  private List<Node> items(String name) {
    Node node = take(name);
    if (node instanceof SequenceNode sequence) {
      return sequence.getValue();
    }
    fault(
        node == null ? line : lineOf(node),
        join(name) + (node == null ? " is missing" : " must be a list"));
    return List.of();
  }

  private String scalar(String where, Node node) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    fault(lineOf(node), where + " must be a single value");
    return "";
  }

  private @Nullable Node take(String name) {
    unread.remove(name);
    return nodes.get(name);
  }

  private void fault(int atLine, String message) {
    source.faults().add("line " + atLine + ": " + message);
  }

  private String join(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  private static int lineOf(Node node) {
    return node.getStartMark().map(mark -> mark.getLine() + 1).orElse(0);
  }
}
