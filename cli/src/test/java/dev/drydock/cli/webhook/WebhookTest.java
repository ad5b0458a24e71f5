package dev.drydock.cli.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.drydock.api.Notification;
import dev.drydock.api.NotificationEvent;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a receiver may answer, and what becomes of the message then. */
class WebhookTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_795_000_000);

  @TempDir Path home;
  private HttpServer receiver;
  private final Deque<Integer> answers = new ArrayDeque<>();
  private final List<String> bodies = new ArrayList<>();
  private final List<String> signatures = new ArrayList<>();
  private final List<Integer> pauses = new ArrayList<>();
  private final StringWriter said = new StringWriter();

  @BeforeEach
  void start() throws IOException {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext("/", this::answer);
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  private synchronized void answer(HttpExchange exchange) throws IOException {
    bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    signatures.add(String.valueOf(exchange.getRequestHeaders().getFirst(Signature.HEADER)));
    Integer status = answers.poll();
    if (status == null) {
      exchange.close(); // No answer at all.
      return;
    }
    exchange.sendResponseHeaders(status, -1);
    exchange.close();
  }

  private Webhook webhook(Optional<Path> secret, Duration patience) {
    return webhook(BodyShape.json(), secret, patience);
  }

  private Webhook webhook(BodyShape shape, Optional<Path> secret, Duration patience) {
    URI to = URI.create("http://127.0.0.1:" + receiver.getAddress().getPort() + "/hook");
    return new Webhook(
        new HttpReceiver(to, secret, InstantSource.fixed(NOW)),
        shape,
        pauses::add,
        patience,
        new PrintWriter(said, true));
  }

  @Test
  void repeatsUntilTheReceiverTakesIt() throws Exception {
    answers.addAll(List.of(500, 503, 429, 302, 200));
    Webhook webhook = webhook(Optional.empty(), Duration.ofHours(1));
    webhook.take(message("1"));
    assertThat(webhook.delivered()).isEqualTo(1);
    assertThat(webhook.skipped()).isZero();
    assertThat(pauses).containsExactly(1, 2, 3, 4);
    assertThat(bodies).hasSize(5).containsOnly(bodies.getFirst());
  }

  @Test
  void passesOverWhatTheReceiverWillNeverTakeAndCountsIt() throws Exception {
    answers.addAll(List.of(422, 200, 400));
    Webhook webhook = webhook(Optional.empty(), Duration.ofHours(1));
    webhook.take(message("1"));
    webhook.take(message("2"));
    webhook.take(message("3"));
    assertThat(webhook.delivered()).isEqualTo(1);
    assertThat(webhook.skipped()).isEqualTo(2);
    assertThat(said.toString()).contains("skipped 1 (", "1 so far", "skipped 3 (", "2 so far");
    assertThat(pauses).isEmpty();
  }

  /** A wrong token or address says nothing of the message: skipping would lose all of them. */
  @ParameterizedTest
  @ValueSource(ints = {401, 403, 404, 410, 500})
  void givesUpOnAReceiverThatTakesNothing(int status) {
    answers.addAll(List.of(status, status));
    Webhook webhook = webhook(Optional.empty(), Duration.ZERO);
    assertThat(catchThrowable(() -> webhook.take(message("1"))))
        .isInstanceOf(Webhook.GaveUp.class)
        .hasMessageContaining("answered " + status)
        .hasMessageContaining("it stays pending");
    assertThat(webhook.skipped()).isZero();
  }

  @Test
  void aTicketIsOpenedForAHostThatWasGivenUpAndClosedOnceItIsFree() throws Exception {
    answers.addAll(List.of(503, 201, 200));
    Webhook webhook = webhook(BodyShape.ticket(), Optional.empty(), Duration.ofHours(1));
    webhook.take(message("1", NotificationEvent.Failed, "JobFailed"));
    webhook.take(message("2", NotificationEvent.Quarantined, "HostQuarantined"));
    webhook.take(message("3", NotificationEvent.Back, "LockEnded"));
    assertThat(webhook.delivered()).as("a failed job is no ticket").isEqualTo(2);
    assertThat(bodies).hasSize(3);
    assertThat(bodies.get(1)).as("sent again as it was").isEqualTo(bodies.getFirst());
    Map<String, Object> opened = Json.readTree(bodies.getFirst());
    assertThat(opened)
        .containsEntry("action", "open")
        .containsEntry("host", "h01")
        .containsEntry("at", NOW.toString())
        .containsKeys("title", "link");
    assertThat(opened.get("evidence"))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("kind", "HostQuarantined")
        .containsEntry("reason", "no space left")
        .containsEntry("applications", List.of("web"));
    assertThat(Json.readTree(bodies.getLast()))
        .containsEntry("action", "close")
        .containsEntry("key", opened.get("key"))
        .containsEntry("reason", "no space left");
  }

  @Test
  void aReceiverThatDoesNotAnswerMayHaveItOrNot() {
    assertThat(catchThrowable(() -> webhook(Optional.empty(), Duration.ZERO).take(message("1"))))
        .hasMessageContaining("gave no answer");
  }

  @Test
  void signsEachBodyWithTheSecretAndTheTime() throws Exception {
    Path secret = Files.writeString(home.resolve("secret"), "k3y\n");
    answers.addAll(List.of(200, 200));
    Webhook webhook = webhook(Optional.of(secret), Duration.ofHours(1));
    webhook.take(message("1"));
    assertThat(signatures).containsExactly(Signature.of("k3y", bodies.getFirst(), NOW));
    Files.writeString(secret, "n3w");
    webhook.take(message("2"));
    assertThat(signatures.getLast()).isEqualTo(Signature.of("n3w", bodies.getLast(), NOW));
  }

  /** Reckoned by another program: printf '1795000000.{}' | openssl dgst -sha256 -hmac k3y. */
  @Test
  void signsAsOthersReckon() {
    assertThat(Signature.of("k3y", "{}", NOW))
        .isEqualTo(
            "t=1795000000,v1=433c95dc272220f596694ca20b99fed8bb6cc3278e9ec6a32789b29463c0686b")
        .isNotEqualTo(Signature.of("k3y", "{ }", NOW))
        .isNotEqualTo(Signature.of("key", "{}", NOW));
  }

  @Test
  void pausesGrowToAMinuteAndDiffer() {
    assertThat(RetryDelays.length(1, 0)).isEqualTo(Duration.ofSeconds(1));
    assertThat(RetryDelays.length(3, 0)).isEqualTo(Duration.ofSeconds(4));
    assertThat(RetryDelays.length(3, 1)).isEqualTo(Duration.ofSeconds(2));
    assertThat(RetryDelays.length(1_000_000, 0)).isEqualTo(Duration.ofMinutes(1));
  }

  private static Message message(String id) {
    return message(id, NotificationEvent.Failed, "JobFailed");
  }

  private static Message message(String id, NotificationEvent event, String kind) {
    return Message.of(
        new Notification()
            .setId(id)
            .setCursor(id)
            .setAt(NOW.toEpochMilli())
            .setEvent(event)
            .setKind(kind)
            .setReason("no space left")
            .setHost("h01")
            .setApplications(dev.drydock.proto.client.WireCollections.strings(List.of("web"))),
        new Message.Context("search~oncall", URI.create("http://drydock"), Duration.ofHours(4)));
  }
}
