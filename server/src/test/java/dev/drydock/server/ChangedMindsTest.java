package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import dev.drydock.proto.client.CallException;
import dev.drydock.proto.client.ClientConfig;
import dev.drydock.proto.client.DrydockClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * What was true when a host was granted is not true any more: on a real server with its stores, and
 * with a site that knows nothing but the public API. The reasons are those that {@code host why}
 * tells.
 */
@Tag("stack")
@TestInstance(Lifecycle.PER_CLASS)
final class ChangedMindsTest {
  private static final String[] ALL = {"Cordon", "Drain", "Update", "Health", "Recover"};

  private TestServer server;
  private DrydockClient client;
  private SmallSite site;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    server = new TestServer(folder);
    server.startUntilReady();
    Path token = Files.writeString(folder.resolve("token"), TestServer.ADMIN_TOKEN);
    client = new DrydockClient(ClientConfig.of(server.address(""), token));
    site = new SmallSite(client);
    site.start();
  }

  @AfterAll
  void close() throws Exception {
    site.close();
    client.close();
    server.close();
  }

  /** The last of two goes to the host that was granted, while it is being cordoned. */
  @Test
  void anInstanceThatMovedToAGrantedHostIsNotTakenDownWithIt() {
    hosts("web", "{maxUnavailable: 1}");
    site.put("search-1", "search", "web2", true);
    site.put("search-2", "search", "web3", true);
    policy("search", "{minAvailable: 1}");
    site.before(
        JobStep.Cordon,
        "web1",
        () -> {
          site.put("search-2", "search", "web3", false);
          site.put("search-1", "search", "web1", true);
          site.report();
        });
    String rollout = site.rollout("web1");
    HostDecision no = decided("web1", "TurnedBack");
    assertThat(no.getReason()).contains("application search: minAvailable 1 (policy search");
    assertThat(no.getFindings())
        .filteredOn(finding -> !finding.isAllows())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.getApplication()).isEqualTo("search");
              assertThat(finding.getTaken()).isEqualTo(1);
              assertThat(finding.getRequired()).isEqualTo(1);
            });
    letGo(rollout, "web1");
  }

  /** The control: where another one stays up, the same move stops nobody. */
  @Test
  void anInstanceThatMovedGoesDownWithItsHostWhereItsPolicyAllows() {
    hosts("shop", "{maxUnavailable: 1}");
    site.put("cart-1", "cart", "shop2", true);
    site.put("cart-2", "cart", "shop3", true);
    policy("cart", "{minAvailable: 1}");
    site.before(
        JobStep.Cordon,
        "shop1",
        () -> {
          site.put("cart-1", "cart", "shop1", true);
          site.report();
        });
    upgraded(site.rollout("shop1"), "shop1");
    assertThat(site.done("shop1")).containsExactly(ALL);
    assertThat(told(decided("shop1", "Opened"))).contains("application cart: minAvailable 1");
  }

  @Test
  void aPolicyTightenedToNothingStopsWhatWasGrantedByTheOneBefore() {
    hosts("mail", "{maxUnavailable: 1}");
    site.before(JobStep.Cordon, "mail1", () -> policy("mail", "{maxUnavailable: 0}"));
    String rollout = site.rollout("mail1");
    assertThat(decided("mail1", "TurnedBack").getReason())
        .contains("application mail: maxUnavailable 0 (policy mail version 2)");
    letGo(rollout, "mail1");
  }

  /** The control: what the new version allows goes on, and by the new version. */
  @Test
  void aPolicyThatStillAllowsWhatWasGrantedStopsNobody() {
    hosts("post", "{maxUnavailable: 1}");
    site.before(
        JobStep.Cordon, "post1", () -> policy("post", "{maxUnavailable: 1}, {minAvailable: 2}"));
    upgraded(site.rollout("post1"), "post1");
    assertThat(site.done("post1")).containsExactly(ALL);
    assertThat(told(decided("post1", "Opened")))
        .contains("application post: minAvailable 2 (policy post version 2)");
  }

  /** It was up when the work on its host was verified, and fell over when it was let go. */
  @Test
  void anInstanceThatCrashesWhenItsHostIsReleasedKeepsTheNextHostUp() {
    hosts("feed", "{maxUnavailable: 1}");
    AtomicReference<String> crashes = crashOfTheFirstReleased("feed", "feed1", "feed2");
    String rollout = site.rollout("feed1", "feed2");
    until("one is done with", () -> !crashes.get().isEmpty());
    String crashed = crashes.get();
    String second = crashed.equals("feed1") ? "feed2" : "feed1";
    upgraded(rollout, crashed);
    until("the other one waits, and is told why", () -> waits(second, "feed@" + crashed));
    assertThat(site.done(second)).doesNotContain("Drain");

    site.put("feed@" + crashed, "feed", crashed, true);
    upgraded(rollout, second);
  }

  /** The control: where one more may be down, the same crash stops nobody. */
  @Test
  void anInstanceThatCrashesWhenItsHostIsReleasedStopsNobodyWhereItsPolicyAllows() {
    hosts("news", "{maxUnavailable: 2}");
    AtomicReference<String> crashed = crashOfTheFirstReleased("news", "news1", "news2", "news3");
    String rollout = site.rollout("news1", "news2", "news3");
    for (String host : List.of("news1", "news2", "news3")) {
      upgraded(rollout, host);
    }
    assertThat(crashed.get()).startsWith("news");
  }

  /** Three of them, which run an application of that name. */
  private void hosts(String application, String rules) {
    for (int number = 1; number <= 3; number++) {
      String host = application + number;
      site.put(application + "@" + host, application, host, true);
      until(host + " is known", () -> known(host));
    }
    policy(application, rules);
  }

  private boolean known(String host) {
    try {
      return client.host(host).getName().equals(host);
    } catch (CallException notYet) {
      assertThat(notYet.status()).isEqualTo(404);
      return false;
    }
  }

  private void policy(String application, String rules) {
    client.applyPolicy(
        """
        apiVersion: drydock.dev/v1
        kind: UpgradePolicy
        metadata: {name: %s, team: t}
        spec: {applications: [%s], capacity: [%s]}
        """
            .formatted(application, application, rules));
  }

  /** The first of these hosts to be released, once there is one: what it runs is down then. */
  private AtomicReference<String> crashOfTheFirstReleased(String application, String... hosts) {
    AtomicReference<String> first = new AtomicReference<>("");
    for (String host : hosts) {
      site.after(
          JobStep.Recover,
          host,
          () -> {
            if (first.get().isEmpty()) {
              site.put(application + "@" + host, application, host, false);
              site.report();
              first.set(host);
            }
          });
    }
    return first;
  }

  private boolean waits(String host, String instance) {
    return decisions(host).stream()
        .filter(decision -> List.of("Waiting", "TurnedBack").contains(decision.getDecision()))
        .map(HostDecision::getReason)
        .anyMatch(
            reason ->
                reason.contains("application feed: maxUnavailable 1") && reason.contains(instance));
  }

  /** Nothing was done to the host but what was undone, and its turn comes again. */
  private void letGo(String rollout, String host) {
    until("the host is let go", () -> site.done(host).contains("Uncordon"));
    assertThat(site.done(host)).doesNotContain("Drain");
    assertThat(site.upgrade(rollout, host).getState())
        .isIn(HostUpgradeState.Pending, HostUpgradeState.InProgress);
  }

  /** The newest such decision about the host, once there is one. */
  private HostDecision decided(String host, String kind) {
    until(host + " is " + kind, () -> !decisions(host, kind).isEmpty());
    return decisions(host, kind).getFirst();
  }

  private List<HostDecision> decisions(String host, String kind) {
    return decisions(host).stream()
        .filter(decision -> decision.getDecision().equals(kind))
        .toList();
  }

  private List<HostDecision> decisions(String host) {
    return client.hostDecisions(host, Long.MAX_VALUE, 20);
  }

  /** What each rule said. */
  private static String told(HostDecision decision) {
    return decision.getFindings().toString();
  }

  private void upgraded(String rollout, String host) {
    until(
        host + " is upgraded",
        () -> site.upgrade(rollout, host).getState() == HostUpgradeState.Upgraded);
  }

  private void until(String what, BooleanSupplier condition) {
    site.until(what, condition, () -> "; the server said: " + said());
  }

  private String said() {
    try {
      return Files.readString(server.log());
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
