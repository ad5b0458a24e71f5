package dev.drydock.platform.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServerConfigFileTest {
  private static final String GOOD =
      """
      http: {host: 127.0.0.1, port: 8080, maxBodyBytes: 65536}
      postgres:
        url: jdbc:postgresql://127.0.0.1:5432/drydock
        user: drydock
        passwordFile: password
      etcd: {endpoints: ["http://127.0.0.1:2379"], maxTxnOps: 4096}
      temporal: {target: "127.0.0.1:7233", namespace: default, taskQueue: drydock}
      tokensFile: /etc/tokens.json
      stalenessSeconds: 30
      jobLeaseSeconds: 16
      jobMarginSeconds: 5
      grantorLeaseSeconds: 10
      """;

  @TempDir private Path folder = Path.of("");

  @BeforeEach
  void writePassword() throws IOException {
    Files.writeString(folder.resolve("password"), "hush\n");
  }

  @Test
  void readsWhatIsWritten() throws IOException {
    ServerConfig config = ServerConfigFile.read(write(GOOD));
    assertThat(config.http()).isEqualTo(new ServerConfig.Http("127.0.0.1", 8080, 65_536));
    assertThat(config.postgres().password()).isEqualTo("hush");
    assertThat(config.etcd().endpoints()).containsExactly(URI.create("http://127.0.0.1:2379"));
    assertThat(config.etcd().root()).isEqualTo("/drydock/");
    assertThat(config.tokensFile()).isEqualTo(Path.of("/etc/tokens.json"));
    assertThat(config.jobLease()).isEqualTo(Duration.ofSeconds(16));
    assertThat(config.toString()).doesNotContain("hush");
    assertThat(config.events())
        .as("a week, if nothing is said")
        .isEqualTo(new ServerConfig.Events(Duration.ofDays(7), 10_000));
  }

  @Test
  void readsHowMuchOfTheEventFeedIsKept() throws IOException {
    assertThat(
            ServerConfigFile.read(write(GOOD + "events: {keepHours: 2, keepNewest: 1}")).events())
        .isEqualTo(new ServerConfig.Events(Duration.ofHours(2), 1));
    assertThatThrownBy(() -> ServerConfigFile.read(write(GOOD + "events: {keepNewest: 0}")))
        .hasMessageContaining("events.keepNewest is 0");
  }

  @Test
  void readsHowPatientItIsWithFleetLockClients() throws IOException {
    assertThat(ServerConfigFile.read(write(GOOD)).fleetLock())
        .isEqualTo(new ServerConfig.FleetLock(Duration.ofMinutes(6), Duration.ofHours(1)));
    assertThat(
            ServerConfigFile.read(write(GOOD + "fleetLock: {pollSeconds: 30, maxSeconds: 600}"))
                .fleetLock())
        .isEqualTo(new ServerConfig.FleetLock(Duration.ofSeconds(30), Duration.ofMinutes(10)));
    assertThatThrownBy(
            () ->
                ServerConfigFile.read(
                    write(GOOD + "fleetLock: {pollSeconds: 4, maxSeconds: 59, pol: 1}")))
        .hasMessageContaining(
            "line 13: fleetLock.pollSeconds is 4, must be a number from 5 to 86400")
        .hasMessageContaining("line 13: fleetLock.maxSeconds is 59")
        .hasMessageContaining("line 13: fleetLock.pol is not a known field");
  }

  @Test
  void readsHowFarRequestsMayGoBeforeEarlierOnes() throws IOException {
    assertThat(ServerConfigFile.read(write(GOOD)).passing())
        .isEqualTo(new ServerConfig.Passing(Duration.ofMinutes(30), Duration.ofSeconds(15)));
    assertThat(
            ServerConfigFile.read(write(GOOD + "passing: {longestSeconds: 0, marginSeconds: 60}"))
                .passing())
        .isEqualTo(new ServerConfig.Passing(Duration.ZERO, Duration.ofMinutes(1)));
    assertThatThrownBy(
            () ->
                ServerConfigFile.read(
                    write(GOOD + "passing: {longestSeconds: -1, marginSeconds: 4}")))
        .hasMessageContaining(
            "line 13: passing.longestSeconds is -1, must be a number from 0 to 86400")
        .hasMessageContaining(
            "line 13: passing.marginSeconds is 4, must be a number from 5 to 3600");
  }

  @Test
  void readsHowMuchIsRepaired() throws IOException {
    assertThat(ServerConfigFile.read(write(GOOD)).remediation())
        .isEqualTo(ServerConfig.Remediation.DEFAULT);
    assertThat(
            ServerConfigFile.read(
                    write(GOOD + "remediation: {atOnce: 2, alike: 1, coolDownSeconds: 0}"))
                .remediation())
        .isEqualTo(new ServerConfig.Remediation(2, 1, Duration.ZERO));
    assertThatThrownBy(() -> ServerConfigFile.read(write(GOOD + "remediation: {atOnce: 0}")))
        .hasMessageContaining("line 13: remediation.atOnce is 0, must be a number from 1");
  }

  @Test
  void readsWhatHostsAreAskedBeforeTheirGrants() throws IOException {
    assertThat(ServerConfigFile.read(write(GOOD)).preflight())
        .isEqualTo(ServerConfig.Preflight.DEFAULT);
    ServerConfig.Preflight said =
        ServerConfigFile.read(
                write(GOOD + "preflight: {openMax: 0, aheadMax: 9, validSeconds: 900, alike: 5}"))
            .preflight();
    assertThat(said).isEqualTo(new ServerConfig.Preflight(0, 9, Duration.ofMinutes(15), 5));
    assertThat(said.on()).isFalse();
    assertThatThrownBy(() -> ServerConfigFile.read(write(GOOD + "preflight: {validSeconds: 5}")))
        .hasMessageContaining("line 13: preflight.validSeconds is 5, must be a number from 600");
  }

  @Test
  void readsWherePrometheusIs() throws IOException {
    assertThat(ServerConfigFile.read(write(GOOD)).prometheus()).isEmpty();
    assertThat(
            ServerConfigFile.read(write(GOOD + "prometheus: {url: 'https://p.example/x/'}"))
                .prometheus())
        .contains(URI.create("https://p.example/x"));
    assertThatThrownBy(() -> ServerConfigFile.read(write(GOOD + "prometheus: {url: 'p:9090'}")))
        .hasMessageContaining("line 13: prometheus.url must be like http://127.0.0.1:9090");
  }

  @Test
  void namesAllFaultsWithTheirLines() throws IOException {
    String bad =
        GOOD.replace("port: 8080", "port: 80800")
            .replace("jdbc:postgresql://127", "postgres://127")
            .replace("  user: drydock\n", "  usr: drydock\n")
            .replace("\"http://127.0.0.1:2379\"", "127.0.0.1")
            .replace("passwordFile: password", "passwordFile: nowhere")
            .replace("jobLeaseSeconds: 16", "jobLeaseSeconds: soon");
    assertThatThrownBy(() -> ServerConfigFile.read(write(bad)))
        .isInstanceOfSatisfying(
            ConfigException.class,
            refused ->
                assertThat(refused.faults())
                    .hasSize(7)
                    .anySatisfy(fault -> assertThat(fault).startsWith("line 1: http.port is 80800"))
                    .anySatisfy(fault -> assertThat(fault).startsWith("line 3: postgres.url must"))
                    .contains("line 3: postgres.user is missing")
                    .contains("line 4: postgres.usr is not a known field")
                    .anySatisfy(fault -> assertThat(fault).startsWith("line 5: postgres.password"))
                    .anySatisfy(fault -> assertThat(fault).startsWith("line 6: etcd.endpoints has"))
                    .anySatisfy(
                        fault -> assertThat(fault).startsWith("line 10: jobLeaseSeconds is soon")));
  }

  @Test
  void namesTheFileThatIsNotThere() {
    Path missing = folder.resolve("server.yaml");
    assertThatThrownBy(() -> ServerConfigFile.read(missing))
        .hasMessageContaining(missing.toString());
  }

  @Test
  void saysWhatIsWrongWithYamlThatIsNone() throws IOException {
    assertThatThrownBy(() -> ServerConfigFile.read(write("http: {host")))
        .hasMessageContaining("is not valid YAML");
    assertThatThrownBy(() -> ServerConfigFile.read(write("- a\n")))
        .hasMessageContaining("the file must have fields");
    assertThatThrownBy(() -> ServerConfigFile.read(write(GOOD + "http: {}\n")))
        .hasMessageContaining("http");
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("server.yaml"), text);
  }
}
