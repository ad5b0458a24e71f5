package dev.drydock.orchestrator.report;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What was read of the packages of a host. */
public sealed interface PackageList {
  /** As executors promise it. */
  int TEXT_BYTES_MAX = 256 * 1024;

  /**
   * A full list.
   *
   * @param versions by name; several installed side by side are separated by blanks
   */
  record Known(SortedMap<String, String> versions) implements PackageList {

    /** The same for the same packages, whatever the order of the lines they came in. */
    public byte[] digest() {
      String text =
          versions.entrySet().stream()
              .map(entry -> entry.getKey() + " " + entry.getValue() + "\n")
              .collect(Collectors.joining());
      return sha256(text);
    }
  }

  /** A text that is no list; nothing of it is believed. */
  record Faulty(String fault) implements PackageList {}

  /**
   * From lines {@code NAME VERSION}. Versions of one name that are installed side by side stand in
   * one line with commas, or in several.
   */
  static PackageList parse(String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > TEXT_BYTES_MAX) {
      return new Faulty("is larger than " + TEXT_BYTES_MAX + " bytes");
    }
    Map<String, TreeSet<String>> found = new TreeMap<>();
    int number = 0;
    for (String line : (Iterable<String>) text.lines()::iterator) {
      number++;
      String[] words = line.split(" ", -1);
      List<String> versions = words.length == 2 ? List.of(words[1].split(",", -1)) : List.of();
      if (words[0].isEmpty() || versions.isEmpty() || versions.contains("")) {
        return new Faulty("line " + number + " is not NAME VERSION");
      }
      found.computeIfAbsent(words[0], name -> new TreeSet<>()).addAll(versions);
    }
    if (found.isEmpty()) {
      return new Faulty("is empty");
    }
    TreeMap<String, String> installed = new TreeMap<>();
    found.forEach((name, versions) -> installed.put(name, String.join(" ", versions)));
    return new Known(installed);
  }

  /** The SHA-256 of a text in UTF-8. */
  static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
