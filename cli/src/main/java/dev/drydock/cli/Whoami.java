package dev.drydock.cli;

import dev.drydock.api.Principal;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Who the server takes the caller for: it knows people by their token. */
@Command(
    name = "whoami",
    description = "Who you are to the server: principal, team and role, and which server it is.",
    mixinStandardHelpOptions = true)
final class Whoami implements Callable<Integer> {
  private record Identity(
      String principal, String team, String role, String server, String tokenFile) {
    Map<String, Object> tree() {
      Map<String, Object> tree = new LinkedHashMap<>();
      tree.put("principal", principal);
      tree.put("team", team);
      tree.put("role", role);
      tree.put("server", server);
      tree.put("tokenFile", tokenFile);
      return tree;
    }
  }

  private static final Table<Identity> TABLE =
      Table.of(Identity::principal)
          .column("PRINCIPAL", Identity::principal)
          .column("TEAM", Identity::team)
          .column("ROLE", Identity::role)
          .column("SERVER", Identity::server)
          .wide("TOKEN FILE", Identity::tokenFile);

  @Mixin final Connection connection;
  @Mixin final Output output;

  Whoami(CliEnvironment around) {
    this.connection = new Connection(around);
    this.output = new Output(around);
  }

  @Override
  public Integer call() {
    ClientConfig config = connection.config();
    try (DrydockClient client = new DrydockClient(config)) {
      Principal known = client.principal();
      output.one(
          new Identity(
              known.getName(),
              known.getTeam(),
              known.getRole().name().toLowerCase(Locale.ROOT),
              config.url().toString(),
              config.tokenFile().toString()),
          TABLE,
          Identity::tree);
      return ExitCode.OK;
    }
  }
}
