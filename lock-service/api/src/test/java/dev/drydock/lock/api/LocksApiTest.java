package dev.drydock.lock.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.lock.core.Admission;
import dev.drydock.lock.core.HostDirectory;
import dev.drydock.lock.etcd.EtcdConfig;
import dev.drydock.lock.etcd.testkit.FakeCandidates;
import dev.drydock.lock.etcd.testkit.TestEtcd;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.platform.testkit.TestApi.Answer;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("stack")
class LocksApiTest {
  private final FakeCandidates candidates = new FakeCandidates();
  private final List<String> audit = new CopyOnWriteArrayList<>();
  private final AtomicLong marks = new AtomicLong();
  private final LockService service =
      LockService.open(
          new EtcdConfig(
              List.of(TestEtcd.shared().endpoint()),
              "/test-" + UUID.randomUUID(),
              4096,
              Duration.ofSeconds(5),
              Duration.ofSeconds(2),
              Duration.ofSeconds(10)),
          marks::incrementAndGet,
          new Metrics());
  private final TestApi api =
      TestApi.start(
          service.resources(
              new Directory(),
              (principal, action, object, detail) ->
                  audit.add(principal.name() + " " + action + " " + object + " " + detail)),
          Map.of(
              "kernel", new Principal("kernel", "kernel", Role.OPERATOR, Set.of()),
              "sre", new Principal("sre", "sre", Role.OPERATOR, Set.of()),
              "viewer", new Principal("viewer", "sre", Role.VIEWER, Set.of()),
              "admin", new Principal("admin", "drydock", Role.ADMIN, Set.of())));

  /** Ten hosts, each with an instance of web. */
  private static final class Directory implements HostDirectory {
    private static final Set<String> HOSTS = Set.of("h01", "h02", "h03");

    @Override
    public Set<String> unknown(Collection<String> hosts) {
      return hosts.stream().filter(host -> !HOSTS.contains(host)).collect(Collectors.toSet());
    }

    @Override
    public Map<String, String> hostsOf(Collection<String> instances) {
      Map<String, String> homes = new HashMap<>();
      for (String instance : instances) {
        String host = instance.substring(instance.indexOf('@') + 1);
        if (HOSTS.contains(host)) {
          homes.put(instance, host);
        }
      }
      return homes;
    }
  }

  @BeforeEach
  void start() {
    service.start(Admission.exclusiveOnly(), candidates);
    until("elected", service::leads);
  }

  @AfterEach
  void close() {
    api.close();
    service.close();
  }

  @Test
  void tryIsGrantedWithItsTokenAndEndedByItsHolderOnly() {
    String id =
        create(
            "kernel", "{\"hosts\":[\"h01\"],\"instances\":[\"web@h02\"],\"reason\":\"firmware\"}");

    Lock lock = get(id);
    assertThat(lock.getState()).isEqualTo(LockState.Held);
    assertThat(lock.getHosts()).containsExactly("h01", "h02");
    assertThat(lock.getToken()).isPositive();
    assertThat(lock.getHolder()).isEqualTo("kernel");
    assertThat(service.hostLock("h02").orElseThrow().id()).isEqualTo(id);

    assertThat(api.call("sre", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(403);
    assertThat(renew("sre", id).status()).isEqualTo(403);
    assertThat(renew("kernel", id).status()).isEqualTo(200);
    assertThat(api.call("kernel", "DELETE", "/api/locks/" + id, "").status()).isEqualTo(204);
    assertThat(api.call("kernel", "DELETE", "/api/locks/" + id, "").status())
        .as("again, as after a lost answer")
        .isEqualTo(204);
    assertThat(get(id).getState()).isEqualTo(LockState.Ended);
    assertThat(service.hostLock("h01")).isEmpty();
    assertThat(audit).hasSize(2);
    assertThat(audit.get(0)).startsWith("kernel ticket.create ticket/" + id).contains("firmware");
    assertThat(audit.get(1)).startsWith("kernel lock.end ticket/" + id);
  }

  @Test
  void refusedTryNamesTheHolder() {
    create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"firmware\"}");

    Lock refused = get(create("sre", "{\"hosts\":[\"h01\",\"h02\"],\"reason\":\"disk\"}"));

    assertThat(refused.getState()).isEqualTo(LockState.Refused);
    assertThat(refused.getExplanation()).contains("h01 is held by kernel", "firmware");
    assertThat(refused.getHosts()).containsExactly("h01", "h02");
    assertThat(service.hostLock("h02")).as("all or none").isEmpty();
  }

  @Test
  void waiterSeesItsPlaceAndGetsItsTurn() {
    String first = create("kernel", "{\"hosts\":[\"h01\"],\"reason\":\"firmware\"}");
    String wait = "{\"hosts\":[\"h01\"],\"reason\":\"disk\",\"mode\":\"Wait\"}";
    String second = create("sre", wait);
    String third = create("kernel", wait);

    assertThat(get(second).getPosition()).isEqualTo(1);
    assertThat(get(third).getPosition()).isEqualTo(2);
    assertThat(get(second).getExplanation()).contains("held by kernel");
    assertThat(renew("sre", second).status()).isEqualTo(200);
    Answer all = api.call("viewer", "GET", "/api/locks?q=host&host=h01", "");
    assertThat(all.body()).contains(first, second, third);
    assertThat(api.call("viewer", "GET", "/api/locks?count=2", "").body())
        .contains(first, second, "\"total\":3")
        .doesNotContain(third);

    api.call("kernel", "DELETE", "/api/locks/" + first, "");
    until("its turn", () -> get(second).getState() == LockState.Held);
  }

  @Test
  void sameRequestIdIsTheSameTicketAndNotForOtherHosts() {
    String request = "{\"requestId\":\"r-1\",\"hosts\":[\"h01\"],\"reason\":\"firmware\"}";

    String id = create("kernel", request);

    assertThat(create("kernel", request)).isEqualTo(id);
    assertThat(create("sre", request)).as("somebody else's name for theirs").isNotEqualTo(id);
    Answer other = api.call("kernel", "POST", "/api/locks", request.replace("h01", "h02"));
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.body()).contains("REQUEST_ID_REUSED");
  }

  @Test
  void namesAllFaultsAtOnce() {
    Answer answer =
        api.call(
            "kernel",
            "POST",
            "/api/locks",
            """
            {"hosts":["h01","h77","h01","h78"],"instances":["web@h99"],"reason":" ","leaseSeconds":1}""");

    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body())
        .contains("hosts[1]", "h77", "hosts[2]", "hosts[3]", "h78")
        .contains("instances[0]", "reason", "leaseSeconds");
    Answer misspelt =
        api.call("kernel", "POST", "/api/locks", "{\"hosts\":[\"h01\"],\"raeson\":\"x\"}");
    assertThat(misspelt.status()).isEqualTo(422);
    assertThat(misspelt.body()).contains("raeson", "reason");
    assertThat(service.table().tickets()).isEmpty();
    assertThat(audit).isEmpty();
  }

  @Test
  void onlyOperatorsAskAndNobodyEndsARunningBatch() {
    assertThat(
            api.call("viewer", "POST", "/api/locks", "{\"hosts\":[\"h01\"],\"reason\":\"x\"}")
                .status())
        .isEqualTo(403);
    candidates.want("c1", "h01");
    service.poke();
    until("granted", () -> candidates.committed.containsKey("g1"));

    assertThat(get("g1").getKind()).isEqualTo(LockKind.Batch);
    assertThat(get("g1").getStage()).isEqualTo("provisional");
    assertThat(api.call("admin", "DELETE", "/api/locks/g1", "").status()).isEqualTo(409);
    service.holds().quarantine("g1", "h01", "does not boot");
    assertThat(get("g1").getKind()).isEqualTo(LockKind.Quarantine);
    assertThat(api.call("sre", "DELETE", "/api/locks/g1", "").status()).isEqualTo(403);
    assertThat(api.call("admin", "DELETE", "/api/locks/g1?reason=replaced", "").status())
        .isEqualTo(204);
    assertThat(service.hostLock("h01")).isEmpty();
  }

  @Test
  void unknownTicketIsNotFound() {
    assertThat(api.call("viewer", "GET", "/api/locks/nothing", "").status()).isEqualTo(404);
  }

  private String create(String principal, String body) {
    Answer answer = api.call(principal, "POST", "/api/locks", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.header("x-restli-id").orElseThrow();
  }

  private Lock get(String id) {
    Answer answer = api.call("viewer", "GET", "/api/locks/" + id, "");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return Json.read(answer.body(), Lock.class);
  }

  private Answer renew(String principal, String id) {
    return api.call(principal, "POST", "/api/locks/" + id + "?action=renew", "{}");
  }

  private static void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }
}
