package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.adapter.spi.Board;
import dev.drydock.adapter.spi.HttpBoard;
import dev.drydock.api.HostPhase;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Job;
import dev.drydock.api.JobStep;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an adapter is told by a real server, while a host is on its way. */
@Tag("stack")
final class AdapterBoardTest {
  private static final List<JobStep> WAY =
      List.of(JobStep.Freeze, JobStep.Drain, JobStep.Update, JobStep.Health, JobStep.Recover);

  private TestServer server;
  private DrydockClient client;
  private HttpBoard board;
  private SmallSite site;

  @BeforeEach
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    ClientConfig config = ClientConfig.of(server.address(""), token);
    client = new DrydockClient(config);
    board = new HttpBoard(config);
    site = new SmallSite(client);
    for (String host : List.of("web1", "web2")) {
      site.put(host + "-web", "web", host, true);
    }
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: web, team: t}
        spec: {applications: [web], capacity: [{maxUnavailable: 1}]}
        """);
  }

  @AfterEach
  void close() throws Exception {
    site.close();
    board.close();
    client.close();
    server.close();
  }

  private record Told(
      Optional<HostPhase> phase, Map<String, HostPhase> all, List<Job> recoveries) {}

  private static Told told(Board board) {
    return new Told(
        board.phase("web1"),
        board.underWay(),
        board.claimable("scheduler/static", List.of(JobStep.Recover), 10));
  }

  @Test
  void aHostIsWithoutInstancesFromItsDrainToItsRecovery() throws Exception {
    Map<JobStep, Told> seen = new ConcurrentHashMap<>();
    for (JobStep step : WAY) {
      site.before(step, "web1", () -> seen.put(step, told(board)));
    }
    try {
      site.start();
    } catch (RuntimeException e) {
      throw new AssertionError(java.nio.file.Files.readString(server.log()), e);
    }
    assertThat(board.underWay()).isEmpty();
    String rollout = site.rollout("web1");
    long end = System.nanoTime() + Duration.ofSeconds(90).toNanos();
    while (site.upgrade(rollout, "web1").getState() != HostUpgradeState.Upgraded) {
      site.requireAlive();
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(100_000_000);
    }
    assertThat(seen.keySet()).containsExactlyInAnyOrderElementsOf(WAY);
    seen.forEach(
        (step, told) -> {
          HostPhase phase =
              switch (step) {
                case Freeze, Drain -> HostPhase.Drain;
                case Update, Health -> HostPhase.Upgrade;
                default -> HostPhase.Recover;
              };
          assertThat(told.phase()).as(step.name()).contains(phase);
          assertThat(told.all()).as(step.name()).isEqualTo(Map.of("web1", phase));
          assertThat(told.recoveries()).as("it was claimed, or is not due").isEmpty();
        });
    assertThat(told(board)).isEqualTo(new Told(Optional.empty(), Map.of(), List.of()));
  }
}
