package dev.drydock.cli;

import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** Writes results to stdout in the format asked for. */
final class Output {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table, wide, json, jsonl, yaml or name (default: table).")
  Format format = Format.TABLE;

  private final PrintWriter out;

  Output(CliEnvironment around) {
    this.out = around.out();
  }

  <T> void list(List<T> records, Table<T> table, Function<T, Map<String, Object>> tree) {
    switch (format) {
      case TABLE, WIDE -> table(records, table);
      case NAME -> records.forEach(record -> out.println(table.name().apply(record)));
      case JSONL -> records.forEach(record -> out.println(TreeWriter.json(tree.apply(record))));
      case JSON -> {
        List<String> lines =
            records.stream().map(record -> "  " + TreeWriter.json(tree.apply(record))).toList();
        out.println(lines.isEmpty() ? "[]" : "[\n" + String.join(",\n", lines) + "\n]");
      }
      case YAML -> out.print(TreeWriter.yaml(records.stream().map(tree).toList()));
    }
    out.flush();
  }

  <T> void one(T record, Table<T> table, Function<T, Map<String, Object>> tree) {
    switch (format) {
      case TABLE, WIDE, NAME, JSONL -> list(List.of(record), table, tree);
      case JSON -> out.println(TreeWriter.json(tree.apply(record)));
      case YAML -> out.print(TreeWriter.yaml(tree.apply(record)));
    }
    out.flush();
  }

  /** Rows for people. */
  <T> void table(List<T> records, Table<T> table) {
    table.render(records, format == Format.WIDE).forEach(out::println);
  }

  /** A sentence for people; silent in the formats for programs. */
  void say(String sentence) {
    if (format.isForPeople()) {
      out.println(sentence);
    }
  }

  void line(String text) {
    out.println(text);
    out.flush();
  }
}
