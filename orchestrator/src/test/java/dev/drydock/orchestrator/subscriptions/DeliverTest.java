package dev.drydock.orchestrator.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.cli.webhook.Signature;
import dev.drydock.orchestrator.batch.BatchRun;
import dev.drydock.orchestrator.subscriptions.LocalReceiver.Taken;
import dev.drydock.platform.testkit.TestApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The consumer of webhooks as a team runs it: a process of its own between a real server and a real
 * receiver, killed and cut off at the worst moments.
 */
@Tag("stack")
class DeliverTest {
  private static final String SECRET = "s3cret";
  private static final List<String> OF_A_QUARANTINE =
      List.of("Started h01", "Down h01", "Failed h01", "Quarantined h01");

  @TempDir Path home;
  private Teams teams;
  private LocalReceiver receiver;
  private WayToServer way;
  private final List<Process> started = new ArrayList<>();

  @BeforeEach
  void start() {
    teams = new Teams();
    receiver = new LocalReceiver();
    way = new WayToServer(() -> teams.api().address());
    teams.subscribe("search-owner", "oncall", "");
    teams.subscribe("ads-owner", "oncall", "");
  }

  @AfterEach
  void stop() {
    started.forEach(Process::destroyForcibly);
    way.close();
    receiver.close();
    teams.close();
  }

  @Test
  void aTeamHearsOfItsHostWithSignatureAndLinkAndTheOtherHearsNothing() throws Exception {
    Process search = deliver("search", Map.of(), "--secret-file", secret());
    Process ads = deliver("ads", Map.of());
    teams.quarantined(teams.drained("h01"), "h01", "dpkg of h01 ended with 100");
    Teams.until(() -> receiver.told().contains("Quarantined h01"));
    assertThat(receiver.told()).containsExactlyElementsOf(OF_A_QUARANTINE);
    Taken last = receiver.taken().getLast();
    assertThat(last.tree())
        .containsEntry("subscription", "search~oncall")
        .containsEntry("host", "h01")
        .containsEntry("link", way.url() + "/rollouts/r-h01?host=h01");
    assertThat(Teams.tree(last.tree(), "failure"))
        .containsEntry("signature", "Update: dpkg of HOST ended with N");
    assertThat(Teams.tree(last.tree(), "silence"))
        .containsEntry("host", "h01")
        .containsEntry("state", "end");
    String signature = last.signature().orElseThrow();
    long seconds = Long.parseLong(signature.replaceFirst("t=(\\d+),.*", "$1"));
    assertThat(signature)
        .isEqualTo(Signature.of(SECRET, last.body(), Instant.ofEpochSecond(seconds)))
        .isNotEqualTo(Signature.of(SECRET, last.body(), Instant.ofEpochSecond(seconds + 1)));
    assertThat(search.isAlive() && ads.isAlive()).isTrue();
  }

  /** The control: were ownership not looked at, the other team's receiver would get it. */
  @Test
  void withoutTheTeamFilterTheOtherTeamHearsIt() throws Exception {
    teams.fleet.execute(
        """
        CREATE OR REPLACE FUNCTION owners_of(carried text[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
          SELECT jsonb_object_agg(team, to_jsonb(carried)) FROM policies
        $$
        """);
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    ended(deliver("ads", Map.of(), "--once"), 0);
    assertThat(receiver.told()).contains("Quarantined h01");
  }

  @Test
  void aConsumerThatWasAwayMissesNothing() throws Exception {
    BatchRun run = teams.drained("h01");
    Process first = deliver("search", Map.of());
    Teams.until(() -> receiver.told().contains("Down h01") && way.acks() >= 2);
    kill(first);
    teams.quarantined(run, "h01", "broken");
    teams.shut();
    teams.open();
    ended(deliver("search", Map.of(), "--once"), 0);
    assertThat(receiver.told()).containsExactlyElementsOf(OF_A_QUARANTINE);
    ended(deliver("search", Map.of(), "--once"), 0);
    assertThat(receiver.taken()).as("and hears nothing twice").hasSize(OF_A_QUARANTINE.size());
  }

  @Test
  void killedBetweenPostAndAcknowledgementItDeliversAgainUnderTheSameId() throws Exception {
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    Map<String, String> crash =
        Map.of("DRYDOCK_CRASH_AT", "deliver-posted", "DRYDOCK_STATE_DIR", home.toString());
    ended(deliver("search", crash, "--once"), 137);
    assertThat(home.resolve("run/crash-hit-deliver-posted")).exists();
    assertThat(receiver.taken()).hasSize(1);
    ended(deliver("search", crash, "--once"), 0);
    assertThat(receiver.taken()).extracting(Taken::told).startsWith("Started h01", "Started h01");
    assertThat(receiver.taken().get(0).id()).isEqualTo(receiver.taken().get(1).id());
    assertThat(receiver.told()).containsExactlyElementsOf(OF_A_QUARANTINE);
  }

  @Test
  void aLostAnswerToAnAcknowledgementChangesNothing() throws Exception {
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    way.loseAnswersToAcks(2);
    ended(deliver("search", Map.of(), "--once"), 0);
    assertThat(receiver.taken()).extracting(Taken::told).containsExactlyElementsOf(OF_A_QUARANTINE);
    assertThat(way.acks()).isGreaterThan(OF_A_QUARANTINE.size());
  }

  @Test
  void whatWasForgottenMeanwhileIsToldAsLost() throws Exception {
    teams.quarantined(teams.drained("h01"), "h01", "broken");
    teams.settle();
    teams.shut();
    teams.fleet.execute("UPDATE events SET at = at - interval '8 d'");
    teams.open();
    Teams.until(() -> !teams.fleet.value("SELECT min(number) FROM events").equals("1"));
    ended(deliver("search", Map.of(), "--once"), 0);
    assertThat(receiver.taken().getFirst().tree())
        .containsEntry("event", "Lost")
        .hasEntrySatisfying(
            "reason", said -> assertThat(said).asString().contains("of team search", "forgotten"));
    int taken = receiver.taken().size();
    ended(deliver("search", Map.of(), "--once"), 0);
    assertThat(receiver.taken()).as("it is told once").hasSize(taken);
  }

  @Test
  void itGoesOnThroughARestartOfTheServer() throws Exception {
    Process consumer = deliver("search", Map.of());
    BatchRun run = teams.drained("h01");
    Teams.until(() -> receiver.told().contains("Down h01"));
    teams.shut();
    teams.quarantined(run, "h01", "broken");
    teams.open();
    Teams.until(() -> receiver.told().contains("Quarantined h01"));
    assertThat(receiver.told()).containsExactlyElementsOf(OF_A_QUARANTINE);
    assertThat(consumer.isAlive()).isTrue();
  }

  private String secret() throws IOException {
    return Files.writeString(home.resolve("secret"), SECRET + "\n").toString();
  }

  private Process deliver(String team, Map<String, String> more, String... words)
      throws IOException {
    Path token =
        Files.writeString(home.resolve(team + ".token"), TestApi.token(team + "-consumer"));
    List<String> line =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.drydock.cli.Main",
                "subscription",
                "deliver",
                "oncall",
                "--to",
                receiver.url()));
    line.addAll(List.of(words));
    ProcessBuilder builder = new ProcessBuilder(line);
    builder.environment().put("DRYDOCK_URL", way.url());
    builder.environment().put("DRYDOCK_TOKEN_FILE", token.toString());
    builder.environment().putAll(more);
    Process process = builder.redirectErrorStream(true).redirectOutput(log(team).toFile()).start();
    started.add(process);
    return process;
  }

  private Path log(String team) {
    return home.resolve(team + ".log");
  }

  private void ended(Process process, int code) throws Exception {
    assertThat(process.waitFor())
        .as(() -> read(log("search")).orElse("") + read(log("ads")).orElse(""))
        .isEqualTo(code);
  }

  private static Optional<String> read(Path file) {
    try {
      return Files.exists(file) ? Optional.of(Files.readString(file)) : Optional.empty();
    } catch (IOException unreadable) {
      return Optional.of("cannot read " + file);
    }
  }

  private static void kill(Process process) throws InterruptedException {
    process.destroyForcibly().waitFor();
  }
}
