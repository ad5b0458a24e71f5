package dev.drydock.orchestrator.report;

import dev.drydock.api.ErrorDetail;
import dev.drydock.orchestrator.report.Advisory.Affected;
import dev.drydock.orchestrator.report.Advisory.Event;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Advisories in OSV JSON (schema 1): a list of entries, an object with the list {@code vulns} as
 * the OSV service answers, or one entry. Withdrawn entries are left out, and so are packages of
 * other ecosystems beside those of an operating system.
 */
final class OsvFile {
  static final int TEXT_BYTES_MAX = 4 * 1024 * 1024;
  private static final int FAULTS_MAX = 20;

  private final List<ErrorDetail> faults = new ArrayList<>();
  private final List<Advisory> advisories = new ArrayList<>();

  private OsvFile() {}

  /**
   * All entries.
   *
   * @throws InvalidRecordException with the entry and field of each fault, of the first 20
   */
  static List<Advisory> read(String text) {
    if (text.getBytes(StandardCharsets.UTF_8).length > TEXT_BYTES_MAX) {
      throw new InvalidRecordException(
          "they are larger than " + TEXT_BYTES_MAX + " bytes; give them in parts", List.of());
    }
    OsvFile file = new OsvFile();
    Object tree = Json.readValue(text);
    if (tree instanceof List<?> list) {
      file.entries("", list);
    } else if (tree instanceof Map<?, ?> map && map.get("vulns") instanceof List<?> list) {
      file.entries("vulns", list);
    } else {
      file.entry("", tree);
    }
    if (!file.faults.isEmpty()) {
      throw new InvalidRecordException(
          "not advisories in OSV JSON",
          file.faults.subList(0, Math.min(FAULTS_MAX, file.faults.size())));
    }
    return List.copyOf(file.advisories);
  }

  private void entries(String path, List<?> list) {
    for (int i = 0; i < list.size(); i++) {
      entry(path + "[" + i + "]", list.get(i));
    }
  }

  private void entry(String path, Object node) {
    if (!(node instanceof Map<?, ?> entry)) {
      fault(path, "is no OSV entry: an object with id and affected is needed");
      return;
    }
    Optional<String> id = text(path, entry, "id");
    if (id.isEmpty() || entry.containsKey("withdrawn")) {
      return;
    }
    List<Affected> affected = new ArrayList<>();
    int before = faults.size();
    List<?> packages = list(path, entry, "affected");
    for (int i = 0; i < packages.size(); i++) {
      affected(join(path, "affected[" + i + "]"), packages.get(i)).ifPresent(affected::add);
    }
    if (affected.isEmpty() && faults.size() == before) {
      fault(
          join(path, "affected"),
          "of %s names no package of an operating system: package.ecosystem must begin with one of %s"
              .formatted(id.get(), new TreeSet<>(Ecosystem.FAMILIES.keySet())));
    }
    advisories.add(new Advisory(id.get(), cves(path, id.get(), entry), List.copyOf(affected)));
  }

  /**
   * Newer entries of distributions name their CVEs as upstream, older ones as aliases; some name
   * them as related only.
   */
  private Set<String> cves(String path, String id, Map<?, ?> entry) {
    Set<String> found = new LinkedHashSet<>(List.of(id));
    found.addAll(texts(path, entry, "aliases"));
    found.addAll(texts(path, entry, "upstream"));
    found.removeIf(name -> !name.startsWith("CVE-"));
    if (found.isEmpty()) {
      texts(path, entry, "related").stream()
          .filter(name -> name.startsWith("CVE-"))
          .forEach(found::add);
    }
    return found.isEmpty() ? Set.of(id) : Set.copyOf(found);
  }

  private Optional<Affected> affected(String path, Object node) {
    if (!(node instanceof Map<?, ?> map) || !(map.get("package") instanceof Map<?, ?> about)) {
      fault(join(path, "package"), "is required");
      return Optional.empty();
    }
    String packagePath = join(path, "package");
    Optional<String> ecosystem = text(packagePath, about, "ecosystem");
    Optional<String> name = text(packagePath, about, "name");
    Optional<Ecosystem> known = ecosystem.flatMap(Ecosystem::of);
    if (known.isEmpty() || name.isEmpty()) {
      return Optional.empty();
    }
    List<List<Event>> ranges = new ArrayList<>();
    List<?> each = map.containsKey("ranges") ? list(path, map, "ranges") : List.of();
    for (int i = 0; i < each.size(); i++) {
      range(join(path, "ranges[" + i + "]"), each.get(i)).ifPresent(ranges::add);
    }
    Set<String> versions = Set.copyOf(texts(path, map, "versions"));
    if (each.isEmpty() && versions.isEmpty()) {
      fault(path, "says which versions of " + name.get() + " neither by ranges nor by versions");
    }
    return Optional.of(new Affected(known.get(), name.get(), List.copyOf(ranges), versions));
  }

  private Optional<List<Event>> range(String path, Object node) {
    if (!(node instanceof Map<?, ?> range)) {
      fault(path, "must be an object with type and events");
      return Optional.empty();
    }
    Optional<String> type = text(path, range, "type");
    if (type.isPresent() && !type.get().equals("ECOSYSTEM")) {
      fault(
          join(path, "type"),
          "is " + type.get() + ", must be ECOSYSTEM for packages of an operating system");
    }
    List<Event> events = new ArrayList<>();
    List<?> each = list(path, range, "events");
    for (int i = 0; i < each.size(); i++) {
      event(join(path, "events[" + i + "]"), each.get(i)).ifPresent(events::add);
    }
    if (events.size() == each.size()
        && events.stream().noneMatch(event -> event.kind() == Event.Kind.INTRODUCED)) {
      fault(join(path, "events"), "must have an event introduced");
    }
    return Optional.of(List.copyOf(events));
  }

  private Optional<Event> event(String path, Object node) {
    if (node instanceof Map<?, ?> map && map.size() == 1) {
      for (Event.Kind kind : Event.Kind.values()) {
        String key = kind.name().toLowerCase(Locale.ROOT);
        if (map.get(key) instanceof String version && !version.isEmpty()) {
          return Optional.of(new Event(kind, version));
        }
      }
    }
    fault(path, "must be one of introduced, fixed and last_affected, with a version");
    return Optional.empty();
  }

  private Optional<String> text(String path, Map<?, ?> map, String key) {
    if (map.get(key) instanceof String text && !text.isEmpty()) {
      return Optional.of(text);
    }
    fault(join(path, key), map.containsKey(key) ? "must be a text" : "is required");
    return Optional.empty();
  }

  private List<?> list(String path, Map<?, ?> map, String key) {
    if (map.get(key) instanceof List<?> list && !list.isEmpty()) {
      return list;
    }
    fault(join(path, key), map.containsKey(key) ? "must be a list with entries" : "is required");
    return List.of();
  }

  /** An optional list of texts. */
  private List<String> texts(String path, Map<?, ?> map, String key) {
    List<String> texts = new ArrayList<>();
    if (!map.containsKey(key)) {
      return texts;
    }
    if (map.get(key) instanceof List<?> list) {
      list.stream().filter(String.class::isInstance).map(String.class::cast).forEach(texts::add);
      if (texts.size() == list.size()) {
        return texts;
      }
    }
    fault(join(path, key), "must be a list of texts");
    return texts;
  }

  private void fault(String path, String message) {
    faults.add(new ErrorDetail().setPath(path).setMessage(message));
  }

  private static String join(String path, String field) {
    return path.isEmpty() ? field : path + "." + field;
  }
}
