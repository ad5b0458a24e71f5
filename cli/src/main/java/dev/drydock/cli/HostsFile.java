package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Host names or ranges of them, one per line; {@code #} starts a comment. Keeps the line of each
 * host, so that what the server says about {@code hosts[3]} can be said about a line of the file.
 */
record HostsFile(Path file, List<Entry> entries) {
  record Entry(String host, int line) {}

  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?");
  private static final Pattern PATH = Pattern.compile("hosts\\[(\\d{1,7})].*");

  static HostsFile read(Path file) {
    try {
      return parse(file, Files.readAllLines(file));
    } catch (NoSuchFileException e) {
      throw CommandFailure.usage("there is no file " + file);
    } catch (MalformedInputException e) {
      throw CommandFailure.usage(file + " is not UTF-8 text");
    } catch (IOException e) {
      throw CommandFailure.usage("cannot read " + file + ": " + e.getMessage());
    }
  }

  static HostsFile parse(Path file, List<String> lines) {
    List<Entry> entries = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    Map<String, Integer> firstLine = new HashMap<>();
    for (int line = 1; line <= lines.size(); line++) {
      String text = line == 1 ? TextFile.withoutMark(lines.getFirst()) : lines.get(line - 1);
      String written = text.replaceFirst("#.*", "").strip();
      if (written.isEmpty()) {
        continue;
      }
      for (String host : expanded(file + ":" + line, written, faults)) {
        Integer first = firstLine.putIfAbsent(host, line);
        if (!NAME.matcher(host).matches()) {
          faults.add("%s:%d: '%s' is no host name; %s".formatted(file, line, host, hint(host)));
        } else if (first != null) {
          faults.add(file + ":" + line + ": " + host + " is listed twice, first on line " + first);
        }
        entries.add(new Entry(host, line));
      }
    }
    if (entries.isEmpty() && faults.isEmpty()) {
      faults.add(file + ": lists no host");
    }
    if (!faults.isEmpty()) {
      throw CommandFailure.input(faults, "nothing was started");
    }
    return new HostsFile(file, List.copyOf(entries));
  }

  private static List<String> expanded(String place, String written, List<String> faults) {
    try {
      return HostRange.expand(written);
    } catch (IllegalArgumentException wrong) {
      faults.add("%s: '%s' %s".formatted(place, written, wrong.getMessage()));
      return List.of();
    }
  }

  /** DNS ends a full name with a dot, inventories do not. */
  private static String hint(String host) {
    String without = host.replaceFirst("\\.+$", "");
    return !without.equals(host) && NAME.matcher(without).matches()
        ? "did you mean " + without + "?"
        : "write one name per line";
  }

  List<String> hosts() {
    return entries.stream().map(Entry::host).toList();
  }

  /** Where the user wrote what the server complains about. */
  String place(ErrorDetail detail) {
    Matcher matcher = PATH.matcher(detail.getPath());
    if (matcher.matches()) {
      int index = Integer.parseInt(matcher.group(1));
      if (index < entries.size()) {
        return file + ":" + entries.get(index).line();
      }
    }
    return detail.getPath().equals("hosts") ? file.toString() : FaultLocations.option(detail);
  }
}
