package dev.drydock.server.contract;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.drydock.server.house.HouseRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The committed contract below {@code proto/src/main}, and how it is kept and recorded.
 *
 * @param folder holds idl/ and snapshot/
 */
record Contract(Path folder) {
  static final String RECORD_COMMAND = "make api-snapshot";
  static final String BREAK_COMMAND = RECORD_COMMAND + " BREAKING=yes";

  /** That of this checkout; Maven runs tests in the module's folder. */
  static Contract committed() {
    return new Contract(proto());
  }

  /** What this checkout's classes and schemas offer. */
  static Exporter offered() {
    return new Exporter(resources(), proto().resolve("pegasus"));
  }

  private static Path proto() {
    return Path.of("../proto/src/main").toAbsolutePath().normalize();
  }

  private static Set<Class<?>> resources() {
    return new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.drydock")
            .stream()
            .filter(HouseRules::isResource)
            .map(JavaClass::reflect)
            .collect(Collectors.toSet());
  }

  /**
   * What is wrong with what is offered, each naming the thing and the way out; empty when callers
   * of the committed contract notice nothing.
   */
  List<String> faults(Path offered) throws IOException {
    Comparison comparison = Comparison.of(folder, offered);
    List<String> faults = new ArrayList<>();
    comparison
        .breaking()
        .forEach(
            change ->
                faults.add(
                    change
                        + " -- breaks callers: take it back, or if it has to be, record it with "
                        + BREAK_COMMAND));
    comparison
        .unrecorded()
        .forEach(
            name ->
                faults.add(
                    name + ": this resource has no snapshot: record it with " + RECORD_COMMAND));
    return faults;
  }

  /** What may be recorded without breaking anybody. */
  Set<String> additions(Path offered) throws IOException {
    return Comparison.of(folder, offered).additions();
  }

  /**
   * Makes what is offered the committed contract.
   *
   * @return what would break callers, in which case nothing was written, unless {@code breaking}
   */
  Set<String> record(Path offered, boolean breaking) throws IOException {
    Set<String> broken = Comparison.of(folder, offered).breaking();
    if (broken.isEmpty() || breaking) {
      for (String part : List.of("idl", "snapshot")) {
        replace(offered.resolve(part), folder.resolve(part));
      }
    }
    return broken;
  }

  private static void replace(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> old = Files.list(to)) {
      for (Path file : old.toList()) {
        if (!Files.exists(from.resolve(file.getFileName()))) {
          Files.delete(file);
        }
      }
    }
    try (Stream<Path> recorded = Files.list(from)) {
      for (Path file : recorded.toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }
}
