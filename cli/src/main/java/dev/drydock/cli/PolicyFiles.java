package dev.drydock.cli;

import dev.drydock.impact.policy.PolicyDocuments;
import dev.drydock.impact.policy.PolicyFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The policies that a command is about: files, each with one or several, and folders of them. */
final class PolicyFiles {
  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description =
          "Policies in YAML: files, in which --- divides several, or folders, of which the .yaml"
              + " and .yml files are taken.")
  List<Path> named = List.of();

  @Option(
      names = {"-f", "--filename"},
      paramLabel = "FILE",
      description = "The same, as kubectl has it.")
  List<Path> given = List.of();

  /** One text for each policy, or what is wrong with each file that cannot be read. */
  List<TextFile> texts(String undone) {
    List<Path> all = Stream.concat(named.stream(), given.stream()).toList();
    if (all.isEmpty()) {
      throw CommandFailure.usage("no policies given: name files or folders");
    }
    List<String> faults = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (Path path : all) {
      files.addAll(Files.isDirectory(path) ? PolicyFolder.files(path, faults) : List.of(path));
    }
    if (!faults.isEmpty()) {
      throw CommandFailure.input(faults, undone);
    }
    return TextFile.readAll(files, undone).stream().flatMap(PolicyFiles::documents).toList();
  }

  private static Stream<TextFile> documents(TextFile text) {
    return PolicyDocuments.of(text.content()).stream()
        .map(document -> new TextFile(text.file(), document.yaml(), document.before()));
  }
}
