package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.linkedin.data.template.StringArray;
import com.linkedin.data.template.StringMap;
import dev.drydock.api.ErrorDetail;
import dev.drydock.api.HealthState;
import dev.drydock.api.HostReport;
import dev.drydock.api.HostReportArray;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InstanceReportArray;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.PlanHosts;
import dev.drydock.api.Release;
import dev.drydock.api.RolloutPlan;
import dev.drydock.api.RolloutRequest;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a real server takes when it is submitted: refused is what could never be granted, and only
 * that; what may be granted later is taken, and the plan tells what it waits for.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class SubmissionTest {
  private static final String SOURCE = "static";
  private static final String TOGETHER = "batching: {by: faultZone, mode: AllOrNone}";

  /** More than any grant takes. */
  private static final int LARGE = 201;

  private final InventoryReport report =
      new InventoryReport()
          .setSource(SOURCE)
          .setFull(true)
          .setHosts(new HostReportArray())
          .setInstances(new InstanceReportArray());

  private TestServer server;
  private DrydockClient client;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    client = new DrydockClient(ClientConfig.of(server.address(""), token));
    report.setMark(client.mark(SOURCE));
    for (int number = 1; number <= LARGE; number++) {
      host("large%03d".formatted(number), "large");
    }
    host("racked1", "racked");
    host("shop1", "shop");
    host("shop2", "shop");
    host("joined1", "joined");
    host("joined2", "joined", "orphan");
    client.report(report);
    client.addRelease(
        new Release()
            .setName("2")
            .setChannel("http://127.0.0.1/2")
            .setKernel("6")
            .setPackages(new StringMap(Map.of("base", "2"))));
  }

  @AfterAll
  void close() throws Exception {
    client.close();
    server.close();
  }

  @Test
  void aFaultZoneLargerThanAGrantIsRefusedWithItsSizeAndTheLimit() {
    policy("large", "capacity: [{maxUnavailable: 100%}]", TOGETHER);
    String reason =
        "fault zone z-large of application large: these 201 hosts go together, and one grant takes"
            + " at most 200";
    List<String> all = hosts("large");
    assertThat(plan(all).getInfeasible())
        .singleElement()
        .satisfies(never -> assertThat(never.getReasons()).containsExactly(reason))
        .satisfies(never -> assertThat(never.getHosts()).hasSize(LARGE));
    CallException refused = refused(all);
    assertThat(refused.code()).isEqualTo("INFEASIBLE");
    assertThat(refused.details().getFirst().getMessage()).endsWith(reason);

    RolloutPlan fits = plan(all.subList(0, 200));
    assertThat(fits.getInfeasible()).as("the control").isEmpty();
    assertThat(fits.getSteps())
        .singleElement()
        .satisfies(s -> assertThat(s.getHosts()).hasSize(200));
  }

  @Test
  void aHostWhoseLabelIsMissingIsTakenAndWaitsForIt() {
    policy("racked", "capacity: [{maxDomainsInFlight: {topologyKey: rack, max: 1}}]");
    waits(
        List.of("racked1"),
        "maxDomainsInFlight 1 by rack cannot be judged: its instance on host racked1 has none");
  }

  @Test
  void whoMissesInstancesIsTakenAndWaitsForThem() {
    policy("shop", "capacity: [{maxUnavailable: 1}]", "desired: 4");
    waits(
        List.of("shop1", "shop2"),
        "host shop1 takes 1 at once, at most 0 may be taken with everything up as long as 2 that"
            + " should exist are not allocated");

    policy("shop", "capacity: [{maxUnavailable: 0}]", "desired: 4");
    assertThat(refused(List.of("shop1")).details().getFirst().getMessage())
        .as("the control: not even with all that should exist")
        .contains("maxUnavailable 0", "too many even with all up: 3 would stay, 4 are needed");
  }

  @Test
  void aMissingPolicyIsToldOnceAndOfItsHostAlone() {
    policy("joined", "capacity: [{maxUnavailable: 2}]", TOGETHER);
    CallException refused = refused(List.of("joined1", "joined2"));
    assertThat(refused.code()).isEqualTo("NO_POLICY");
    assertThat(refused.details())
        .singleElement()
        .satisfies(fault -> assertThat(fault.getPath()).isEqualTo("hosts[1]"))
        .extracting(ErrorDetail::getMessage)
        .asString()
        .contains("application orphan on joined2 has no policy");
  }

  /** Submitted, it is a rollout; planned, it is no step, and told why. */
  private void waits(List<String> hosts, String reason) {
    RolloutPlan plan = plan(hosts);
    assertThat(plan.getInfeasible()).isEmpty();
    assertThat(plan.getSteps()).isEmpty();
    assertThat(plan.getWaiting()).hasSameSizeAs(hosts);
    PlanHosts first = plan.getWaiting().getFirst();
    assertThat(first.getReasons().toString()).contains(reason);
    assertThat(client.hostUpgrades(client.startRollout(request(hosts)))).hasSameSizeAs(hosts);
  }

  private RolloutPlan plan(List<String> hosts) {
    return client.planRollout(request(hosts));
  }

  private CallException refused(List<String> hosts) {
    return catchThrowableOfType(CallException.class, () -> client.startRollout(request(hosts)));
  }

  private static RolloutRequest request(List<String> hosts) {
    return new RolloutRequest().setRelease("2").setHosts(new StringArray(hosts));
  }

  private List<String> hosts(String prefix) {
    List<String> hosts = new ArrayList<>();
    report.getHosts().forEach(host -> hosts.add(host.getName()));
    return hosts.stream().filter(host -> host.startsWith(prefix)).toList();
  }

  private void host(String name, String... applications) {
    report
        .getHosts()
        .add(new HostReport().setName(name).setAddress("127.0.0.1").setScheduler(SOURCE));
    for (String application : applications) {
      report
          .getInstances()
          .add(
              new InstanceReport()
                  .setId(application + "@" + name)
                  .setApplication(application)
                  .setHost(name)
                  .setZone("z-" + application)
                  .setHealth(HealthState.Healthy)
                  .setObservedAt(System.currentTimeMillis()));
    }
  }

  private void policy(String application, String... spec) {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: %s, team: t}
        spec:
          applications: [%s]
          %s
        """
            .formatted(application, application, String.join("\n  ", spec)));
  }
}
