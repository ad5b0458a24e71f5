package dev.drydock.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * How records of one kind are shown to people.
 *
 * @param name what identifies a record; the answer of {@code -o name}
 */
record Table<T>(Function<T, String> name, List<Column<T>> columns) {
  /**
   * One column.
   *
   * @param wide only shown by {@code -o wide}
   */
  record Column<T>(String title, boolean wide, Function<T, String> cell) {}

  static <T> Table<T> of(Function<T, String> name) {
    return new Table<>(name, List.of());
  }

  Table<T> column(String title, Function<T, String> cell) {
    return with(new Column<>(title, false, cell));
  }

  Table<T> wide(String title, Function<T, String> cell) {
    return with(new Column<>(title, true, cell));
  }

  private Table<T> with(Column<T> column) {
    List<Column<T>> more = new ArrayList<>(columns);
    more.add(column);
    return new Table<>(name, List.copyOf(more));
  }

  /** Title row and one row per record, columns aligned, no trailing blanks. */
  List<String> render(List<T> records, boolean wide) {
    List<Column<T>> shown = columns.stream().filter(column -> wide || !column.wide()).toList();
    List<List<String>> rows = new ArrayList<>();
    rows.add(shown.stream().map(Column::title).toList());
    for (T record : records) {
      rows.add(shown.stream().map(column -> oneLine(column.cell().apply(record))).toList());
    }
    int[] widths = new int[shown.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
    }
    return line.toString().stripTrailing();
  }

  private static String oneLine(String cell) {
    return cell.isEmpty() ? "-" : EnumConverter.shown(cell).replaceAll("\\s+", " ");
  }
}
