package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import dev.drydock.impact.core.Policy;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads policies by their JSON Schema and names everything that is wrong. Stateless; safe for use
 * by many threads.
 */
public final class PolicyParser {
  private static final JsonNode SCHEMA_TREE = schemaTree();
  private static final JsonSchema SCHEMA =
      JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V7).getSchema(SCHEMA_TREE);
  private static final SchemaFields FIELDS = new SchemaFields(SCHEMA_TREE);

  private static final Pattern NAME =
      Pattern.compile(SCHEMA_TREE.at("/properties/metadata/properties/name/pattern").asText());

  private PolicyParser() {}

  /**
   * What was read.
   *
   * @param policy what decides grants; present exactly when there are no faults; its version is 0
   * @param handling what does not; {@link HostWorkPolicy#NONE} when there are faults
   * @param faults by line
   * @param doubts what is hardly meant as it is written; none where there are faults
   * @param lines line of each field, by path
   */
  public record Parsed(
      Optional<Policy> policy,
      HostWorkPolicy handling,
      List<PolicyFault> faults,
      List<PolicyFault> doubts,
      Map<String, Integer> lines) {
    public Parsed {
      faults = List.copyOf(faults);
      doubts = List.copyOf(doubts);
      lines = Map.copyOf(lines);
    }
  }

  /** Reads one policy. */
  public static Parsed parse(String yaml) {
    PolicyText text = PolicyText.read(yaml);
    List<PolicyFault> faults = new ArrayList<>(text.faults());
    boolean legible =
        faults.stream().noneMatch(policyFault -> policyFault.path().equals(PolicyText.ROOT));
    if (legible) {
      List<PolicyFault> misfits = schemaFaults(text);
      faults.addAll(misfits);
      faults.addAll(PolicyConsistencyCheck.faults(text, misfits.isEmpty()));
    }
    faults.sort(Comparator.comparingInt(PolicyFault::line).thenComparing(PolicyFault::path));
    return faults.isEmpty()
        ? new Parsed(
            Optional.of(PolicyMapping.policy(text.tree())),
            PolicyMapping.handling(text.tree().path("spec")),
            faults,
            PolicyWarningRules.of(text),
            text.lines())
        : new Parsed(Optional.empty(), HostWorkPolicy.NONE, faults, List.of(), text.lines());
  }

  /** Whether a policy could have this name. */
  public static boolean isName(String name) {
    return NAME.matcher(name).matches();
  }

  private static List<PolicyFault> schemaFaults(PolicyText text) {
    // One value may break several keywords of its schema, but is one fault.
    Map<String, PolicyFault> faults = new LinkedHashMap<>();
    for (ValidationMessage message : SCHEMA.validate(text.tree())) {
      if (!message.getType().equals("uniqueItems")) {
        PolicyFault policyFault = fault(text, message);
        faults.putIfAbsent(policyFault.path(), policyFault);
      }
    }
    return List.copyOf(faults.values());
  }

  private static PolicyFault fault(PolicyText text, ValidationMessage message) {
    String at = message.getInstanceLocation().toString().replaceFirst("^\\$\\.?", "");
    return switch (message.getType()) {
      case "additionalProperties" -> {
        String path = child(at, message.getProperty());
        yield new PolicyFault(path, text.line(path), FIELDS.unknown(at, message.getProperty()));
      }
      case "required" -> {
        String path = child(at, message.getProperty());
        yield new PolicyFault(
            path, text.line(at), "is missing: must be " + FIELDS.description(path));
      }
      default -> {
        String value = shown(message.getInstanceNode());
        yield new PolicyFault(
            at.isEmpty() ? PolicyText.ROOT : at,
            text.line(at),
            "is %s, must be %s%s"
                .formatted(
                    value,
                    FIELDS.description(at),
                    FIELDS
                        .similar(at, message.getInstanceNode().asText())
                        .map(": did you mean %s?"::formatted)
                        .orElse("")));
      }
    };
  }

  private static String child(String parent, String field) {
    return parent.isEmpty() ? field : parent + "." + field;
  }

  private static String shown(JsonNode value) {
    return switch (value.getNodeType()) {
      case ARRAY -> value.isEmpty() ? "an empty list" : "a list of " + value.size();
      case OBJECT -> value.isEmpty() ? "an empty mapping" : "a mapping of " + value.size();
      case NULL, MISSING -> "empty";
      case STRING -> "'" + abbreviated(value.asText()) + "'";
      default -> abbreviated(value.asText());
    };
  }

  private static String abbreviated(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "…";
  }

  private static JsonNode schemaTree() {
    try (InputStream schema = PolicyParser.class.getResourceAsStream("/policy.schema.json")) {
      return new ObjectMapper().readTree(Objects.requireNonNull(schema, "no policy.schema.json"));
    } catch (IOException unreadable) {
      throw new UncheckedIOException("policy.schema.json cannot be read", unreadable);
    }
  }
}
