package dev.drydock.proto.typescript;

import com.linkedin.data.DataList;
import com.linkedin.data.DataMap;
import com.linkedin.data.codec.JacksonDataCodec;
import com.linkedin.data.schema.ArrayDataSchema;
import com.linkedin.data.schema.DataSchema;
import com.linkedin.data.schema.EnumDataSchema;
import com.linkedin.data.schema.MapDataSchema;
import com.linkedin.data.schema.NamedDataSchema;
import com.linkedin.data.schema.RecordDataSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Wire records as TypeScript.
 *
 * <ol>
 *   <li>An enum is a union of its symbols, and a constant with all of them in the schema's order.
 *   <li>A record is an interface. An optional field may be missing.
 *   <li>A field with a default is always there for who reads, but may be missing on the wire:
 *       {@code XDefaults} holds what a reader fills in, and {@code XWire} is what travels.
 *   <li>Doc comments are kept.
 * </ol>
 */
final class TypeScript {
  private static final String HEAD =
      """
      // Made from proto/src/main/pegasus by `make types`; edit the schemas, not this file.

      /** What travels of a record whose defaults are D. */
      type Wire<T, D> = Omit<T, keyof D> & Partial<Pick<T, keyof D & keyof T>>;
      """;

  private final StringBuilder out = new StringBuilder(HEAD);

  private TypeScript() {}

  static String of(List<NamedDataSchema> schemas) {
    TypeScript text = new TypeScript();
    for (NamedDataSchema schema : schemas) {
      text.out.append('\n');
      switch (schema) {
        case EnumDataSchema symbols -> text.symbols(symbols);
        case RecordDataSchema record -> text.record(record);
        default -> throw unknown(schema);
      }
    }
    return text.out.toString();
  }

  private void symbols(EnumDataSchema schema) {
    doc("", enumDoc(schema));
    String values = schema.getSymbols().stream().map(symbol -> '"' + symbol + '"').collect(list());
    out.append("export const ").append(schema.getName()).append("Values = [").append(values);
    out.append("] as const;\n");
    out.append("export type ").append(schema.getName()).append(" = (typeof ");
    out.append(schema.getName()).append("Values)[number];\n");
  }

  private static String enumDoc(EnumDataSchema schema) {
    StringBuilder doc = new StringBuilder(schema.getDoc());
    schema
        .getSymbolDocs()
        .forEach((symbol, text) -> doc.append("\n- ").append(symbol).append(": ").append(text));
    return doc.toString().strip();
  }

  private void record(RecordDataSchema schema) {
    doc("", schema.getDoc());
    out.append("export interface ").append(schema.getName()).append(" {\n");
    for (RecordDataSchema.Field field : schema.getFields()) {
      doc("  ", field.getDoc());
      out.append("  readonly ").append(field.getName()).append(field.getOptional() ? "?: " : ": ");
      out.append(type(field.getType())).append(";\n");
    }
    out.append("}\n");
    List<RecordDataSchema.Field> defaults =
        schema.getFields().stream().filter(field -> field.getDefault() != null).toList();
    if (!defaults.isEmpty()) {
      defaults(schema.getName(), defaults);
    }
  }

  private void defaults(String name, List<RecordDataSchema.Field> fields) {
    String values =
        fields.stream()
            .map(field -> field.getName() + ": " + json(field.getDefault()))
            .collect(list());
    out.append("export const ").append(name).append("Defaults = { ").append(values);
    out.append(" } satisfies Partial<").append(name).append(">;\n");
    out.append("export type ").append(name).append("Wire = Wire<").append(name);
    out.append(", typeof ").append(name).append("Defaults>;\n");
  }

  private void doc(String indent, @Nullable String text) {
    if (text == null || text.isBlank()) {
      return;
    }
    List<String> lines = text.strip().replace("*/", "* /").lines().map(String::strip).toList();
    if (lines.size() == 1) {
      out.append(indent).append("/** ").append(lines.getFirst()).append(" */\n");
      return;
    }
    out.append(indent).append("/**\n");
    lines.forEach(line -> out.append(indent).append(" * ").append(line).append('\n'));
    out.append(indent).append(" */\n");
  }

  private static String type(DataSchema schema) {
    return switch (schema.getType()) {
      case STRING -> "string";
      case BOOLEAN -> "boolean";
      case INT, LONG, FLOAT, DOUBLE -> "number";
      case ARRAY -> "readonly " + type(((ArrayDataSchema) schema).getItems()) + "[]";
      case MAP -> "Readonly<Record<string, " + type(((MapDataSchema) schema).getValues()) + ">>";
      case RECORD, ENUM -> ((NamedDataSchema) schema).getName();
      default -> throw unknown(schema);
    };
  }

  private static String json(Object value) {
    try {
      JacksonDataCodec codec = new JacksonDataCodec();
      return switch (value) {
        case DataMap map -> codec.mapToString(map);
        case DataList list -> codec.listToString(list);
        // The codec writes only maps and lists: one value is a list of one, without its brackets.
        default -> codec.listToString(new DataList(List.of(value))).replaceAll("^\\[|]$", "");
      };
    } catch (IOException impossible) {
      throw new UncheckedIOException("writing to memory failed", impossible);
    }
  }

  private static java.util.stream.Collector<CharSequence, ?, String> list() {
    return Collectors.joining(", ");
  }

  private static IllegalArgumentException unknown(DataSchema schema) {
    return new IllegalArgumentException(
        "no TypeScript is known for " + schema.getType() + ": teach it to TypeScript.java");
  }
}
