package dev.drydock.server;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The command line of the server. */
record Arguments(Set<ServerRole> roles, Path config) {
  static final String USAGE = "usage: server --config FILE [--roles=all|api,grantor,orchestrator]";

  Arguments {
    roles = Set.copyOf(roles);
  }

  /** A command line nobody understands; carries every fault. */
  static final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(List<String> faults) {
      super(String.join("; ", faults), null, false, false);
    }
  }

  /**
   * Reads {@code --name value} and {@code --name=value}.
   *
   * @throws UsageException naming every argument that is wrong
   */
  static Arguments parse(String... words) {
    List<String> faults = new ArrayList<>();
    Set<ServerRole> roles = EnumSet.allOf(ServerRole.class);
    Optional<Path> config = Optional.empty();
    List<String> rest = new ArrayList<>(List.of(words));
    while (!rest.isEmpty()) {
      String[] parts = rest.removeFirst().split("=", 2);
      String name = parts[0];
      if (!name.equals("--roles") && !name.equals("--config")) {
        faults.add("unknown argument " + name);
      } else if (parts.length < 2 && rest.isEmpty()) {
        faults.add(name + " needs a value");
      } else {
        String value = parts.length == 2 ? parts[1] : rest.removeFirst();
        if (name.equals("--roles")) {
          roles = roles(value, faults);
        } else {
          config = Optional.of(Path.of(value));
        }
      }
    }
    if (config.isEmpty()) {
      faults.add("--config is missing");
    }
    if (!faults.isEmpty()) {
      throw new UsageException(faults);
    }
    return new Arguments(roles, config.orElseThrow().toAbsolutePath());
  }

  private static Set<ServerRole> roles(String value, List<String> faults) {
    Set<ServerRole> roles = EnumSet.noneOf(ServerRole.class);
    for (String word : value.split(",", -1)) {
      List<ServerRole> named =
          Arrays.stream(ServerRole.values())
              .filter(role -> word.equals("all") || role.word().equals(word))
              .toList();
      if (named.isEmpty()) {
        faults.add("unknown role '" + word + "', there are all, " + known());
      }
      roles.addAll(named);
    }
    return roles;
  }

  private static String known() {
    return Arrays.stream(ServerRole.values())
        .map(ServerRole::word)
        .collect(Collectors.joining(", "));
  }
}
