package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees who starts the server wrongly: a line and an exit code. */
final class StartFailureTest {
  @TempDir private Path folder = Path.of("");

  @Test
  void refusesUnknownRoles() throws Exception {
    assertThat(run("--roles=boss", "--config", "nowhere.yaml"))
        .startsWith("2: drydock: unknown role 'boss'")
        .contains(Arguments.USAGE)
        .doesNotContain("Exception");
  }

  @Test
  void namesAllFaultsOfTheConfiguration() throws Exception {
    Path config = Files.writeString(folder.resolve("server.yaml"), "http: {host: a}\nwarp: 9\n");
    assertThat(run("--config", config.toString()))
        .startsWith("2: drydock: " + config)
        .contains("line 1: http.port is missing")
        .contains("line 2: warp is not a known field")
        .contains("tokensFile is missing")
        .doesNotContain("\tat ");
  }

  @Test
  void saysWhichStoreIsMissingWhereAndWhatToDo() throws Exception {
    int nobody;
    try (ServerSocket socket = new ServerSocket(0)) {
      nobody = socket.getLocalPort();
    }
    BackingStores.Store store =
        new BackingStores.Store(
            "etcd",
            java.net.InetSocketAddress.createUnresolved("127.0.0.1", nobody),
            "etcd.endpoints");
    BackingStores backingStores = new BackingStores(List.of(store));
    Assertions.assertThatThrownBy(() -> backingStores.await(Duration.ofMillis(300)))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("etcd does not answer at 127.0.0.1:" + nobody + " (")
        .hasMessageEndingWith("start it, or correct etcd.endpoints in the configuration");
    assertThat(backingStores.missing()).hasSize(1);
    try (ServerSocket socket = new ServerSocket(nobody)) {
      assertThat(socket.isBound()).isTrue();
      backingStores.await(Duration.ofSeconds(5));
      assertThat(backingStores.missing()).isEmpty();
    }
  }

  private String run(String... arguments) throws Exception {
    Path output = folder.resolve("output");
    List<String> command =
        new java.util.ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue() + ": " + Files.readString(output);
  }
}
