package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class WhoamiTest extends AtServer {
  private static final String TOLD =
      "drydock: acts as admin, by the token of this checkout (another: --token-file,"
          + " DRYDOCK_TOKEN_FILE or --context)\n";

  @BeforeEach
  void somebody() {
    server.on("GET principal", 200, "{\"name\":\"ann\",\"team\":\"sre\",\"role\":\"Operator\"}");
    server.on("PUT freeze", 204, "");
    server.on("GET freeze", 200, "{\"frozen\":true}");
  }

  @Test
  void tellsPrincipalRoleAndServer() throws IOException {
    Run table = run("whoami");
    assertThat(table.code()).as(table.err()).isZero();
    assertThat(table.out()).contains("ann", "sre", "operator", server.url());
    assertThat(run("whoami", "-o", "json").out())
        .contains("\"principal\":\"ann\"", "\"role\":\"operator\"", server.url());
  }

  @Test
  void whoChangesSomethingByTheCheckoutsTokenIsToldAsWhom() throws IOException {
    assertThat(atCheckout(Map.of(), "freeze", "--reason", "leak").err()).startsWith(TOLD);
    assertThat(atCheckout(Map.of(), "freeze", "status").err()).isEmpty();
    Path own = Files.writeString(home.resolve("own"), "t0ken");
    assertThat(
            atCheckout(Map.of("DRYDOCK_TOKEN_FILE", own.toString()), "freeze", "--reason", "leak")
                .err())
        .as("the control: it was chosen")
        .doesNotContain("acts as");
  }

  @Test
  void aContextThatIsNamedComesBeforeTheCheckout() throws IOException {
    Run run = atCheckout(Map.of(), "whoami", "--context", "lab");
    assertThat(run.err()).contains("has no context lab");
  }

  private Run atCheckout(Map<String, String> more, String... arguments) throws IOException {
    Map<String, String> variables = new HashMap<>(more);
    variables.put("DRYDOCK_DEFAULT_URL", server.url());
    Path token = Files.writeString(home.resolve("admin"), "t0ken");
    variables.put("DRYDOCK_DEFAULT_TOKEN_FILE", token.toString());
    return Run.of(variables, home, List.of(arguments));
  }
}
