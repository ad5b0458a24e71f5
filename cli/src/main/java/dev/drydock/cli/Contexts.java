package dev.drydock.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The configuration file:
 *
 * <pre>
 * current: lab
 * contexts:
 *   lab: {url: http://127.0.0.1:10000, tokenFile: /path/to/token}
 * </pre>
 */
record Contexts(Path file, String current, Map<String, Context> contexts) {
  record Context(String url, String tokenFile) {}

  static Path path(CliEnvironment around) {
    String config = around.variable("XDG_CONFIG_HOME");
    Path base = config.isEmpty() ? around.home().resolve(".config") : Path.of(config);
    return base.resolve("drydock").resolve("config.yaml");
  }

  /** What the file says; nothing when there is none. */
  static Contexts read(CliEnvironment around) {
    Path file = path(around);
    try {
      Object tree =
          new Load(LoadSettings.builder().setLabel(file.toString()).build())
              .loadFromString(Files.readString(file));
      return parse(file, tree);
    } catch (NoSuchFileException e) {
      return new Contexts(file, "", Map.of());
    } catch (IOException e) {
      throw CommandFailure.usage("cannot read " + file + ": " + e.getMessage());
    } catch (YamlEngineException e) {
      throw CommandFailure.usage(file + " is not YAML: " + e.getMessage());
    }
  }

  /** The named context, else the current one; empty when none is named anywhere. */
  Optional<Context> choose(@Nullable String name) {
    String chosen = name == null ? current : name;
    if (chosen.isEmpty()) {
      return Optional.empty();
    }
    Context context = contexts.get(chosen);
    if (context == null) {
      throw CommandFailure.usage(
          file + " has no context " + chosen + "; it has " + contexts.keySet());
    }
    return Optional.of(context);
  }

  private static Contexts parse(Path file, @Nullable Object tree) {
    List<String> faults = new ArrayList<>();
    Map<?, ?> root = map(tree, file + ": the file", faults);
    fields(root, Set.of("current", "contexts"), file + ": ", faults);
    Map<String, Context> contexts = new LinkedHashMap<>();
    map(root.get("contexts"), file + ": contexts", faults)
        .forEach(
            (name, value) -> {
              String place = file + ": contexts." + name;
              Map<?, ?> fields = map(value, place, faults);
              fields(fields, Set.of("url", "tokenFile"), place + ".", faults);
              contexts.put(
                  String.valueOf(name),
                  new Context(
                      text(fields, "url", place, faults),
                      text(fields, "tokenFile", place, faults)));
            });
    if (!faults.isEmpty()) {
      throw CommandFailure.input(faults, "the configuration cannot be used");
    }
    return new Contexts(file, root.get("current") instanceof String name ? name : "", contexts);
  }

  private static Map<?, ?> map(@Nullable Object value, String place, List<String> faults) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    if (value != null) {
      faults.add(place + " must be a map");
    }
    return Map.of();
  }

  private static void fields(Map<?, ?> map, Set<String> known, String place, List<String> faults) {
    for (Object field : map.keySet()) {
      if (!known.contains(String.valueOf(field))) {
        faults.add(
            place + field + ": unknown field; known are " + known.stream().sorted().toList());
      }
    }
  }

  private static String text(Map<?, ?> map, String field, String place, List<String> faults) {
    if (map.get(field) instanceof String text) {
      return text;
    }
    faults.add(place + "." + field + ": is missing or no text");
    return "";
  }
}
