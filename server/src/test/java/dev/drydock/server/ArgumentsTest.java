package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ArgumentsTest {
  @Test
  void takesAllRolesUnlessTold() {
    assertThat(Arguments.parse("--config", "/a/server.yaml"))
        .isEqualTo(new Arguments(Set.of(ServerRole.values()), Path.of("/a/server.yaml")));
    assertThat(Arguments.parse("--roles=all", "--config=/a").roles()).hasSize(3);
  }

  @Test
  void takesSomeRoles() {
    assertThat(Arguments.parse("--config", "/a", "--roles", "api,grantor").roles())
        .containsExactlyInAnyOrder(ServerRole.API, ServerRole.GRANTOR);
  }

  @Test
  void namesEverythingThatIsWrong() {
    assertThatThrownBy(() -> Arguments.parse("--roles=api,boss,", "--colour", "--roles"))
        .isInstanceOf(Arguments.UsageException.class)
        .hasMessageContaining("unknown role 'boss', there are all, api, grantor, orchestrator")
        .hasMessageContaining("unknown role ''")
        .hasMessageContaining("unknown argument --colour")
        .hasMessageContaining("--roles needs a value")
        .hasMessageContaining("--config is missing");
  }
}
