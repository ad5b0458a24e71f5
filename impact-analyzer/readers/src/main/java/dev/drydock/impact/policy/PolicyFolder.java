package dev.drydock.impact.policy;

import dev.drydock.impact.core.Policies;
import dev.drydock.impact.core.Policy;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All policies of a folder: those of each file that ends in .yaml or .yml.
 *
 * @param faults everything wrong, each with file and line; the policies are complete without any
 */
public record PolicyFolder(Policies policies, List<String> faults) {
  public PolicyFolder {
    faults = List.copyOf(faults);
  }

  /** Reads the folder; files in folders inside it are not looked at. */
  public static PolicyFolder read(Path folder) {
    List<String> faults = new ArrayList<>();
    Map<String, Policy> byApplication = new HashMap<>();
    Map<String, Path> fileOf = new HashMap<>();
    for (Path file : files(folder, faults)) {
      for (Policy policy : policies(file, faults)) {
        for (String application : policy.applications()) {
          Path other = fileOf.putIfAbsent(application, file);
          if (other != null) {
            faults.add("%s: application %s is in %s already".formatted(file, application, other));
          }
          byApplication.put(application, policy);
        }
      }
    }
    return new PolicyFolder(new Policies(byApplication, Map.of()), faults);
  }

  /** The files of policies in a folder, by name. */
  public static List<Path> files(Path folder, List<String> faults) {
    if (!Files.isDirectory(folder)) {
      faults.add(folder + ": there is no such folder");
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> files =
          all.filter(file -> file.toString().matches(".*\\.ya?ml")).sorted().toList();
      if (files.isEmpty()) {
        faults.add(folder + ": has no policy, no file that ends in .yaml or .yml");
      }
      return files;
    } catch (IOException unreadable) {
      faults.add(folder + ": cannot be read: " + unreadable.getMessage());
      return List.of();
    }
  }

  private static List<Policy> policies(Path file, List<String> faults) {
    try {
      List<Policy> policies = new ArrayList<>();
      for (PolicyDocuments.Document document : PolicyDocuments.of(Files.readString(file))) {
        PolicyParser.Parsed parsed = PolicyParser.parse(document.yaml());
        for (PolicyFault policyFault : parsed.faults()) {
          int line = document.before() + policyFault.line();
          faults.add(
              "%s:%d: %s %s".formatted(file, line, policyFault.path(), policyFault.message()));
        }
        parsed.policy().ifPresent(policies::add);
      }
      return policies;
    } catch (MalformedInputException binary) {
      faults.add(file + ": is not UTF-8 text");
    } catch (IOException unreadable) {
      faults.add(file + ": cannot be read: " + unreadable.getMessage());
    }
    return List.of();
  }
}
