package dev.drydock.impact.fleet;

import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.plan.CompactFleet;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A fleet as CSV in UTF-8: one line per instance, under a first line that names the columns.
 *
 * <ul>
 *   <li>{@code instance,application,host,zone}: an empty zone stands for none. A line with a host
 *       and nothing else is a host without instances.
 *   <li>{@code capacity} (optional): how much the instance counts in rules about capacity, in
 *       units; 1 where it is empty.
 *   <li>{@code seconds} (optional): how long work on the host is expected to take.
 *   <li>{@code label.KEY} (optional): a label of the host, such as {@code label.rack}.
 * </ul>
 *
 * Values have neither commas nor quotes in them. What is said of a host has to be the same on all
 * its lines.
 */
public final class CsvFleet {
  private static final List<String> NEEDED = List.of("instance", "application", "host", "zone");
  private static final String CAPACITY = "capacity";
  private static final String LABEL = "label.";
  private static final int FAULTS_MAX = 20;
  private static final int WIDTH_MAX = 4096;

  private final Path file;
  private final CompactFleet.Builder fleet;
  private final Predicate<String> isKnown;
  private final List<String> faults = new ArrayList<>();
  private final Set<String> unknown = new HashSet<>();
  private final Map<Integer, String[]> saidOfHost = new HashMap<>();
  private final NameHashes instances = new NameHashes();
  private final Set<String> perhapsTwice = new HashSet<>();
  private String[] columns = {};
  private final int[] at = new int[NEEDED.size()];
  private int capacityAt;
  private int faultCount;

  private CsvFleet(Path file, Duration expected, Predicate<String> isKnown) {
    this.file = file;
    this.fleet = new CompactFleet.Builder(expected);
    this.isKnown = isKnown;
  }

  /**
   * Reads the file.
   *
   * @param expected how long work takes where the file does not say
   * @param isKnown whether there is a policy for an application
   * @throws InvalidInputException with each fault by line
   */
  public static CompactFleet read(Path file, Duration expected, Predicate<String> isKnown)
      throws InvalidInputException {
    CsvFleet reading = new CsvFleet(file, expected, isKnown);
    try {
      reading.lines();
      reading.twice();
    } catch (NoSuchFileException missing) {
      throw new InvalidInputException(List.of(file + ": there is no such file"));
    } catch (MalformedInputException binary) {
      throw new InvalidInputException(List.of(file + ": is not UTF-8 text"));
    } catch (IOException unreadable) {
      throw new InvalidInputException(
          List.of(file + ": cannot be read: " + unreadable.getMessage()));
    }
    if (reading.faultCount > 0) {
      throw new InvalidInputException(reading.faults());
    }
    return reading.fleet.build();
  }

  private List<String> faults() {
    List<String> all = new ArrayList<>(faults);
    if (faultCount > faults.size()) {
      all.add("%s: and %d more".formatted(file, faultCount - faults.size()));
    }
    return all;
  }

  private void fault(int line, String message) {
    faultCount++;
    if (faults.size() < FAULTS_MAX) {
      faults.add(file + ":" + line + ": " + message);
    }
  }

  private void lines() throws IOException {
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      String header = reader.readLine();
      if (header == null || !header(header.replace("\uFEFF", ""))) {
        return;
      }
      String[] values = new String[columns.length];
      int line = 1;
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        line++;
        if (!text.isBlank() && split(line, text, values)) {
          instance(line, values);
        }
      }
      if (line == 1) {
        fault(1, "lists no instance");
      }
    }
  }

  private boolean header(String header) {
    columns = Arrays.stream(header.split(",", -1)).map(String::strip).toArray(String[]::new);
    List<String> names = List.of(columns);
    for (int i = 0; i < NEEDED.size(); i++) {
      at[i] = names.indexOf(NEEDED.get(i));
      if (at[i] < 0) {
        fault(
            1,
            "there is no column "
                + NEEDED.get(i)
                + "; the first line has to name instance,application,host,zone");
      }
    }
    capacityAt = names.indexOf(CAPACITY);
    for (String name : columns) {
      boolean label = name.startsWith(LABEL) && name.length() > LABEL.length();
      if (!isOfInstance(name) && !name.equals("seconds") && !label) {
        fault(
            1,
            "'%s' is no column: instance, application, host, zone, capacity, seconds and label.KEY are"
                .formatted(name));
      } else if (names.indexOf(name) != names.lastIndexOf(name)) {
        fault(1, "column " + name + " is there twice");
      }
    }
    return faultCount == 0;
  }

  /** Other columns are of its host. */
  private static boolean isOfInstance(String column) {
    return NEEDED.contains(column) || column.equals(CAPACITY);
  }

  private boolean split(int line, String text, String[] values) {
    if (text.length() > WIDTH_MAX || text.indexOf('"') >= 0) {
      fault(
          line,
          text.length() > WIDTH_MAX
              ? "is longer than " + WIDTH_MAX + " characters"
              : "quotes are not supported");
      return false;
    }
    int from = 0;
    for (int i = 0; i < values.length; i++) {
      int comma = text.indexOf(',', from);
      boolean last = i == values.length - 1;
      if (last != (comma < 0)) {
        fault(
            line,
            "has %d values, the first line names %d columns"
                .formatted(text.split(",", -1).length, values.length));
        return false;
      }
      values[i] = text.substring(from, last ? text.length() : comma).strip();
      from = comma + 1;
    }
    return true;
  }

  private void instance(int line, String[] values) {
    String name = values[at[0]];
    String application = values[at[1]];
    String host = values[at[2]];
    if (host.isEmpty()) {
      fault(line, "names no host");
      return;
    }
    int number = fleet.host(host);
    host(line, number, values);
    if (name.isEmpty() && application.isEmpty()) {
      return;
    }
    if (name.isEmpty() || application.isEmpty()) {
      fault(
          line,
          name.isEmpty() ? "names no instance" : "instance " + name + " is of no application");
    } else if (!isKnown.test(application)) {
      if (unknown.add(application)) {
        fault(
            line,
            "application %s has no policy: add one, or leave its instances out"
                .formatted(application));
      }
    } else {
      if (!instances.add(name)) {
        perhapsTwice.add(name);
      }
      fleet.instance(
          number,
          fleet.application(application),
          fleet.zone(values[at[3]]),
          capacityAt < 0 ? 1 : capacity(line, values[capacityAt]));
    }
  }

  private int capacity(int line, String value) {
    int units = value.isEmpty() ? 1 : value.matches("\\d{1,7}") ? Integer.parseInt(value) : 0;
    if (units < 1 || units > FleetInstance.CAPACITY_MAX) {
      fault(
          line,
          "capacity is '%s', must be a whole number from 1 to %d"
              .formatted(value, FleetInstance.CAPACITY_MAX));
      return 1;
    }
    return units;
  }

  /** What each line says of its host, which has to be the same each time. */
  private void host(int line, int host, String[] values) {
    if (columns.length == NEEDED.size() + (capacityAt < 0 ? 0 : 1)) {
      return;
    }
    String[] before = saidOfHost.get(host);
    if (before == null) {
      saidOfHost.put(host, values.clone());
    }
    for (int column = 0; column < columns.length; column++) {
      String name = columns[column];
      String value = values[column];
      if (isOfInstance(name)) {
        continue;
      }
      if (before != null && !before[column].equals(value)) {
        fault(
            line,
            "%s of the host is '%s', and was '%s' before".formatted(name, value, before[column]));
      } else if (before == null && name.startsWith(LABEL)) {
        fleet.label(host, name.substring(LABEL.length()), value);
      } else if (before == null && value.matches("\\d{1,7}")) {
        fleet.lasts(host, Duration.ofSeconds(Long.parseLong(value)));
      } else if (before == null && !value.isEmpty()) {
        fault(line, "seconds is '%s', must be a whole number".formatted(value));
      }
    }
  }

  /** Names whose hashes met are looked at once more: mostly they are the same name. */
  private void twice() throws IOException {
    if (perhapsTwice.isEmpty()) {
      return;
    }
    Map<String, Integer> first = new TreeMap<>();
    try (BufferedReader reader = Files.newBufferedReader(file)) {
      int line = 0;
      for (String text = reader.readLine(); text != null; text = reader.readLine()) {
        line++;
        String[] values = text.split(",", -1);
        String name = values.length == columns.length ? values[at[0]].strip() : "";
        Integer before = perhapsTwice.contains(name) ? first.putIfAbsent(name, line) : null;
        if (before != null) {
          fault(line, "instance %s is listed twice, first on line %d".formatted(name, before));
        }
      }
    }
  }
}
