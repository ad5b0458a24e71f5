package dev.drydock.proto.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.api.ClaimedJob;
import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Event;
import dev.drydock.api.Host;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.RolloutRequest;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DrydockClientTest {
  @TempDir Path directory;
  private ScriptedServer server;
  private Path tokenFile;
  private DrydockClient client;

  @BeforeEach
  void start() throws IOException {
    server = new ScriptedServer();
    tokenFile = Files.writeString(directory.resolve("token"), "s3cret\n");
    client = open(server.url(), Duration.ofSeconds(5));
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private DrydockClient open(URI url, Duration retries) {
    return new DrydockClient(
        new ClientConfig(url, tokenFile, Duration.ofSeconds(5), Duration.ofSeconds(5), retries));
  }

  private static CallException failure(Runnable call) {
    return catchThrowableOfType(CallException.class, call::run);
  }

  @Test
  void sendsTokenAndProtocolVersion() {
    server.reply(200, "{\"value\":42}");
    assertThat(client.mark("static")).isEqualTo(42);
    ScriptedServer.Request request = server.requests().getFirst();
    assertThat(request.header("Authorization")).isEqualTo("Bearer s3cret");
    assertThat(request.header("X-restli-protocol-version")).isEqualTo("2.0.0");
    assertThat(request.method() + " " + request.path()).isEqualTo("POST inventory?action=mark");
    assertThat(request.body()).isEqualTo("{\"source\":\"static\"}");
  }

  @Test
  void takesAReplacedTokenAtOnce() throws IOException {
    server.reply(200, "{\"value\":1}").reply(200, "{\"value\":2}");
    client.mark("static");
    Files.writeString(tokenFile, "newer");
    client.mark("static");
    assertThat(server.requests().getLast().header("Authorization")).isEqualTo("Bearer newer");
  }

  @Test
  void asksForJobsOfItsTopics() {
    server.reply(200, "{\"elements\":[],\"paging\":{\"start\":0,\"count\":10,\"links\":[]}}");
    assertThat(client.claimable(List.of("scheduler/static", "host/PackageUpdate"), 10)).isEmpty();
    assertThat(server.requests().getFirst().path())
        .isEqualTo(
            "jobs?q=claimable&topics=List(scheduler%2Fstatic,host%2FPackageUpdate)&count=10");
  }

  @Test
  void followsARolloutByItsEventsNoLongerThanACallMayTake() {
    server
        .reply(200, "{\"elements\":[],\"metadata\":{\"cursor\":\"7\"}}")
        .reply(
            200,
            """
            {"elements":[{"cursor":"9","at":1,"kind":"NotKnownYet","rollout":"r1"}],
             "metadata":{"cursor":"12"}}""");
    assertThat(client.cursorNow()).isEqualTo("7");
    EventPage page = client.events("7", "r1", Duration.ofMinutes(1));
    assertThat(page.events()).singleElement().extracting(Event::getKind).isEqualTo("NotKnownYet");
    assertThat(page.events().getFirst().getData()).isEqualTo("{}");
    assertThat(page.cursor()).as("past what was left out").isEqualTo("12");
    assertThat(server.requests().getLast().path())
        .isEqualTo("events?q=after&cursor=7&rollout=r1&waitMillis=2500");
  }

  @Test
  void readsAClaimedJob() {
    server.reply(
        200,
        """
        {"value":{"claim":"c1","attempt":2,"token":"1.900.1.2","leaseSeconds":15,"job":{"id":"g1.Drain.h01.1",
         "grant":"g1","rollout":"r1","step":"Drain","topic":"scheduler/static","host":"h01","address":"10.0.0.10",
         "round":1,"state":"Claimed","attempt":2,"deadlineSeconds":600,"createdAt":1}}}""");
    ClaimedJob claimed = client.claim("g1.Drain.h01.1", "static-1");
    assertThat(claimed.getToken()).isEqualTo("1.900.1.2");
    assertThat(claimed.getJob().getStep()).isEqualTo(JobStep.Drain);
    assertThat(claimed.getJob().getInstances()).isEmpty();
  }

  @Test
  void carriesStatusCodeMessageAndDetailsOfARefusal() {
    server.reply(
        422,
        """
        {"status":422,"code":"VALIDATION","message":"2 errors","details":[
         {"path":"hosts[1]","message":"unknown host h99"},{"path":"spec.capacity[0]","line":7,"message":"150 %"}]}""");
    CallException refused =
        failure(
            () ->
                client.startRollout(
                    new RolloutRequest()
                        .setRelease("2")
                        .setHosts(WireCollections.strings(List.of("h01")))));
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.code()).isEqualTo("VALIDATION");
    assertThat(refused).hasMessage("2 errors");
    assertThat(refused.details())
        .extracting(ErrorDetail::getPath)
        .containsExactly("hosts[1]", "spec.capacity[0]");
    assertThat(refused.details().get(1).getLine()).isEqualTo(7);
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void givesTheIdOfWhatItCreated() {
    server.created("r7");
    RolloutRequest request =
        new RolloutRequest().setRelease("2").setHosts(WireCollections.strings(List.of("h01")));
    assertThat(client.startRollout(request)).isEqualTo("r7");
  }

  @Test
  void repeatsAReadUntilTheServerIsBack() {
    server.then(new ScriptedServer.Step.HangUp()).reply(503, "").reply(200, "{\"name\":\"h01\"}");
    assertThat(client.host("h01").getName()).isEqualTo("h01");
    assertThat(server.requests()).hasSize(3);
  }

  @Test
  void repeatsACompleteWhoseAnswerWasLost() {
    server.then(new ScriptedServer.Step.HangUp()).reply(200, "{}");
    client.complete("j", "c1", new JobResult().setOutcome(JobOutcome.Done).setMessage("stopped"));
    assertThat(server.requests())
        .extracting(ScriptedServer.Request::body)
        .hasSize(2)
        .containsOnly(server.requests().getFirst().body());
  }

  @Test
  void neverRepeatsAClaim() {
    server.then(new ScriptedServer.Step.HangUp()).reply(200, "{\"value\":{}}");
    CallException lost = failure(() -> client.claim("j", "me"));
    assertThat(lost.code()).isEqualTo(CallException.UNREACHABLE);
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void repeatsAStartOnlyWhenItCarriesARequestId() {
    server.then(new ScriptedServer.Step.HangUp());
    RolloutRequest request =
        new RolloutRequest().setRelease("2").setHosts(WireCollections.strings(List.of("h01")));
    assertThat(failure(() -> client.startRollout(request)).status()).isZero();
    server.then(new ScriptedServer.Step.HangUp()).created("r1");
    assertThat(client.startRollout(request.setRequestId("mine"))).isEqualTo("r1");
  }

  @Test
  void givesUpWhenTheBudgetIsUsed() {
    try (DrydockClient impatient = open(server.url(), Duration.ofSeconds(2))) {
      for (int i = 0; i < 100; i++) {
        server.reply(503, "");
      }
      assertThat(failure(() -> impatient.host("h01")).status()).isEqualTo(503);
      assertThat(server.requests()).hasSizeBetween(2, 99);
    }
  }

  @Test
  void countsTheBodyIntoTheTimeOut() {
    server.then(new ScriptedServer.Step.Stall());
    CallException late = failure(() -> client.claim("j", "me"));
    assertThat(late.code()).isEqualTo(CallException.TIMED_OUT);
  }

  /** A short page is not the end: only the total says where that is. */
  @Test
  void readsAllPagesUpToTheTotal() {
    server.reply(200, page(3, "h1", "h2")).reply(200, page(3, "h3")).reply(200, page(0));
    assertThat(client.hosts()).extracting(Host::getName).containsExactly("h1", "h2", "h3");
    assertThat(client.hosts()).isEmpty();
    assertThat(server.requests())
        .extracting(ScriptedServer.Request::path)
        .containsExactly(
            "hosts?start=0&count=1000", "hosts?start=2&count=1000", "hosts?start=0&count=1000");
  }

  @Test
  void endsWithAListThatShrinksWhileItIsRead() {
    server.reply(200, page(3, "h1")).reply(200, page(1));
    assertThat(client.hosts()).extracting(Host::getName).containsExactly("h1");
  }

  @Test
  void takesNoListWhoseEndIsNotSaid() {
    server.reply(200, "{\"elements\":[{\"name\":\"h1\"}]}");
    assertThat(failure(client::hosts).code()).isEqualTo(CallException.BAD_ANSWER);
  }

  private static String page(int total, String... names) {
    String elements =
        Stream.of(names)
            .map(name -> "{\"name\":\"" + name + "\"}")
            .collect(Collectors.joining(","));
    return "{\"elements\":[%s],\"paging\":{\"total\":%d}}".formatted(elements, total);
  }

  /** Five thousand names do not fit into a request line, and five do. */
  @Test
  void sendsALongQueryAsABody() {
    server.reply(200, "{\"results\":{}}").reply(200, "{\"results\":{}}");
    assertThat(client.hosts(names(5_000))).isEmpty();
    assertThat(client.hosts(names(5))).isEmpty();
    ScriptedServer.Request tunnelled = server.requests().getFirst();
    assertThat(tunnelled.method()).isEqualTo("POST");
    assertThat(tunnelled.path()).isEqualTo("hosts");
    assertThat(tunnelled.header("X-http-method-override")).isEqualTo("GET");
    assertThat(tunnelled.header("Content-type")).isEqualTo("application/x-www-form-urlencoded");
    assertThat(tunnelled.body()).startsWith("ids=List(h0,h1,").endsWith(",h4999)");
    ScriptedServer.Request plain = server.requests().getLast();
    assertThat(plain.method()).isEqualTo("GET");
    assertThat(plain.path()).isEqualTo("hosts?ids=List(h0,h1,h2,h3,h4)");
  }

  private static List<String> names(int count) {
    return IntStream.range(0, count).mapToObj(i -> "h" + i).toList();
  }

  @Test
  void namesTheTokenFileItCannotRead() throws IOException {
    Files.delete(tokenFile);
    CallException failed = failure(() -> client.mark("static"));
    assertThat(failed.code()).isEqualTo(CallException.NO_TOKEN);
    assertThat(failed).hasMessageContaining(tokenFile.toString());
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void doesNotTakeAnAnswerThatIsNotOfTheContract() {
    server.reply(200, "<html>proxy</html>");
    assertThat(failure(() -> client.mark("static")).code()).isEqualTo(CallException.BAD_ANSWER);
    server.reply(200, "{\"value\":\"many\"}");
    assertThat(failure(() -> client.mark("static")).code()).isEqualTo(CallException.BAD_ANSWER);
  }
}
