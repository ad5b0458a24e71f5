package dev.drydock.server.contract;

import com.linkedin.data.schema.DataSchemaLocation;
import com.linkedin.data.schema.DataSchemaResolver;
import com.linkedin.data.schema.Name;
import com.linkedin.restli.restspec.ActionSchemaArray;
import com.linkedin.restli.restspec.CollectionSchema;
import com.linkedin.restli.restspec.FinderSchemaArray;
import com.linkedin.restli.restspec.ResourceSchema;
import com.linkedin.restli.tools.compatibility.CompatibilityInfoMap;
import com.linkedin.restli.tools.compatibility.CompatibilityUtil;
import com.linkedin.restli.tools.compatibility.ResourceCompatibilityChecker;
import com.linkedin.restli.tools.idlcheck.CompatibilityInfo;
import com.linkedin.restli.tools.idlcheck.CompatibilityLevel;
import com.linkedin.restli.tools.snapshot.check.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What changed in a contract since it was recorded.
 *
 * @param breaking what callers of the recorded contract would notice: never to happen unasked
 * @param unrecorded resources without a snapshot
 * @param additions what only new callers notice
 */
record Comparison(Set<String> breaking, Set<String> unrecorded, Set<String> additions) {
  private static final String SUFFIX = ".snapshot.json";

  /**
   * Rest.li counts a new symbol as breaking. Here every reader has to bear symbols it does not know
   * (generated ones read them as $UNKNOWN), or no step or state could ever be added.
   */
  private static final String NEW_SYMBOL = "new enum added symbols";

  private Comparison() {
    this(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
  }

  /** Compares the snapshots below two folders that an {@link Exporter} wrote. */
  static Comparison of(Path recorded, Path current) throws IOException {
    Comparison comparison = new Comparison();
    Set<String> before = snapshots(recorded);
    Set<String> now = snapshots(current);
    for (String name : before) {
      if (now.contains(name)) {
        comparison.add(name, read(recorded, name), read(current, name));
      } else {
        comparison.breaking.add(name + ": the resource was removed");
      }
    }
    now.removeAll(before);
    comparison.unrecorded.addAll(now);
    return comparison;
  }

  private void add(String name, Snapshot before, Snapshot now) {
    ResourceCompatibilityChecker checker =
        new ResourceCompatibilityChecker(
            resource(before), schemas(before), resource(now), schemas(now));
    checker.check(CompatibilityLevel.BACKWARDS);
    CompatibilityInfoMap found = checker.getInfoMap();
    found.getCompatibles().forEach(info -> additions.add(line(name, info)));
    for (CompatibilityInfo info : found.getIncompatibles()) {
      String line = line(name, info);
      (line.contains(NEW_SYMBOL) ? additions : breaking).add(line);
    }
  }

  /** A change of a schema is one change, in however many places it is used. */
  private static String line(String name, CompatibilityInfo info) {
    String line = info.toString();
    String path = line.substring(0, Math.max(0, line.indexOf(": ")));
    int schema = path.lastIndexOf("dev.drydock.");
    return schema < 0 ? name + line : line.substring(schema);
  }

  private static Snapshot read(Path contract, String name) throws IOException {
    Path file = contract.resolve("snapshot").resolve(name + SUFFIX);
    try (InputStream in = Files.newInputStream(file)) {
      return new Snapshot(in);
    }
  }

  /**
   * With empty lists in place of none, or of the last finder or action only "finders" is missed.
   */
  private static ResourceSchema resource(Snapshot snapshot) {
    ResourceSchema resource = snapshot.getResourceSchema();
    CollectionSchema collection = resource.getCollection();
    if (collection != null) {
      if (!collection.hasFinders()) {
        collection.setFinders(new FinderSchemaArray());
      }
      if (!collection.hasActions()) {
        collection.setActions(new ActionSchemaArray());
      }
      if (!collection.getEntity().hasActions()) {
        collection.getEntity().setActions(new ActionSchemaArray());
      }
    }
    return resource;
  }

  /** Only what the snapshot itself holds. */
  private static DataSchemaResolver schemas(Snapshot snapshot) {
    DataSchemaResolver resolver = CompatibilityUtil.getDataSchemaResolver("");
    snapshot
        .getModels()
        .forEach(
            (name, schema) ->
                resolver.bindNameToSchema(new Name(name), schema, DataSchemaLocation.NO_LOCATION));
    return resolver;
  }

  private static Set<String> snapshots(Path contract) throws IOException {
    Path folder = contract.resolve("snapshot");
    if (!Files.isDirectory(folder)) {
      return new TreeSet<>();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.endsWith(SUFFIX))
          .map(file -> file.substring(0, file.length() - SUFFIX.length()))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }
}
