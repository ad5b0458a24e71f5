package dev.drydock.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Host names written with ranges, as Ansible's inventories have them: {@code web[001-120].dc1} and
 * {@code db[1,3-5]} stand for one host each number. A number is as wide as it was written: 001 is
 * followed by 002.
 */
final class HostRange {
  /** A slip such as {@code [1-10000000]} is told and not expanded. */
  static final int HOSTS_MAX = 100_000;

  private static final Pattern BRACKETS = Pattern.compile("\\[([^\\[\\]]*)]");
  private static final Pattern SPAN = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?");

  private HostRange() {}

  static boolean isIn(String text) {
    return text.indexOf('[') >= 0 || text.indexOf(']') >= 0;
  }

  /**
   * All names that the text stands for, in its order.
   *
   * @throws IllegalArgumentException with what is wrong with it
   */
  static List<String> expand(String text) {
    List<String> names = List.of("");
    int from = 0;
    Matcher brackets = BRACKETS.matcher(text);
    while (brackets.find()) {
      String before = text.substring(from, brackets.start());
      List<String> numbers = numbers(brackets.group(1));
      if ((long) names.size() * numbers.size() > HOSTS_MAX) {
        throw new IllegalArgumentException("stands for more than " + HOSTS_MAX + " hosts");
      }
      List<String> longer = new ArrayList<>(names.size() * numbers.size());
      for (String name : names) {
        numbers.forEach(number -> longer.add(name + before + number));
      }
      names = longer;
      from = brackets.end();
    }
    String rest = text.substring(from);
    if (isIn(rest)) {
      throw new IllegalArgumentException(
          "has a bracket without its other one; write a range such as web[001-120].dc1");
    }
    return names.stream().map(name -> name + rest).toList();
  }

  private static List<String> numbers(String list) {
    List<String> numbers = new ArrayList<>();
    for (String part : list.split(",", -1)) {
      Matcher span = SPAN.matcher(part.strip());
      if (!span.matches()) {
        throw new IllegalArgumentException(
            "has a range [%s] that is none; write such as [001-120] or [1,3-5]".formatted(list));
      }
      int first = Integer.parseInt(span.group(1));
      int last = span.group(2) == null ? first : Integer.parseInt(span.group(2));
      if (last < first) {
        throw new IllegalArgumentException("has a range [%s] that runs backwards".formatted(list));
      }
      if (last - first >= HOSTS_MAX - numbers.size()) {
        throw new IllegalArgumentException("stands for more than " + HOSTS_MAX + " hosts");
      }
      String form = "%0" + span.group(1).length() + "d";
      for (int number = first; number <= last; number++) {
        numbers.add(form.formatted(number));
      }
    }
    return numbers;
  }
}
