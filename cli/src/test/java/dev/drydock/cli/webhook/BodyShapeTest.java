package dev.drydock.cli.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.AlertSilence;
import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.api.Notification;
import dev.drydock.api.NotificationEvent;
import dev.drydock.api.NotifiedFailure;
import dev.drydock.api.TriedRepair;
import dev.drydock.api.TriedRepairArray;
import dev.drydock.proto.Json;
import dev.drydock.proto.client.WireCollections;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies as receivers get them, beside the ones that are on record. */
class BodyShapeTest {
  private static final Message.Context CONTEXT =
      new Message.Context(
          "search~oncall", URI.create("https://drydock.example/"), Duration.ofHours(4));
  private static final BodyShape PAGER = BodyShape.pagerDuty("r0utingkey");

  @ParameterizedTest
  @CsvSource({
    "json, quarantined",
    "slack, quarantined",
    "pagerduty, quarantined",
    "json, down",
    "slack, down",
    "pagerduty, upgraded",
    "ticket, given-up",
    "ticket, freed",
  })
  void bodiesAreAsRecorded(String shape, String message) throws IOException {
    String recorded = shape + "-" + message + ".json";
    assertThat(shape(shape).tree(message(message)).map(Json::writeTree).map(Json::readTree))
        .as(() -> shape(shape).body(message(message)).orElse("nothing"))
        .contains(recorded(recorded));
  }

  @Test
  void onlyWhatNeedsSomebodyIsAnIncidentAndOnlyWhatIsWellEndsOne() {
    assertThat(PAGER.body(message("down"))).as("a host that goes down as planned").isEmpty();
    assertThat(action(told(NotificationEvent.Failed, "JobFailed"))).contains("trigger");
    assertThat(action(told(NotificationEvent.Done, "HostUpgraded"))).contains("resolve");
    assertThat(action(told(NotificationEvent.Back, "HostUpgraded"))).contains("resolve");
    assertThat(action(told(NotificationEvent.Back, "HostQuarantined"))).isEmpty();
    assertThat(PAGER.tree(message("quarantined")).orElseThrow().get("dedup_key"))
        .as("one incident from its beginning to its end")
        .isEqualTo(PAGER.tree(message("upgraded")).orElseThrow().get("dedup_key"));
  }

  @Test
  void aTicketIsOpenedForWhatWasGivenUpAndForNothingElse() {
    assertThat(BodyShape.ticket().body(message("down"))).isEmpty();
    assertThat(BodyShape.ticket().body(message("upgraded"))).isEmpty();
    assertThat(BodyShape.ticket().tree(message("given-up")).orElseThrow().get("key"))
        .as("one ticket from its beginning to its end")
        .isEqualTo(BodyShape.ticket().tree(message("freed")).orElseThrow().get("key"));
  }

  private static Optional<Object> action(Notification told) {
    return PAGER.tree(Message.of(told, CONTEXT)).map(event -> event.get("event_action"));
  }

  private static BodyShape shape(String name) {
    return switch (name) {
      case "json" -> BodyShape.json();
      case "slack" -> BodyShape.slack();
      case "ticket" -> BodyShape.ticket();
      default -> PAGER;
    };
  }

  private static Message message(String name) {
    return Message.of(
        switch (name) {
          case "down" ->
              told(NotificationEvent.Down, "HostUpgradeChanged")
                  .setSilence(new AlertSilence().setHost("h01").setBegin(1_795_000_000_000L));
          case "given-up" ->
              told(NotificationEvent.Quarantined, "HostQuarantined")
                  .setReason("Update: no space left; remediation tried CleanDisk")
                  .setFailure(diskFull());
          case "freed" ->
              told(NotificationEvent.Back, "LockEnded").setReason("looked at by people");
          case "upgraded" -> told(NotificationEvent.Done, "HostUpgraded");
          default ->
              told(NotificationEvent.Quarantined, "HostQuarantined")
                  .setReason("Update: dpkg <h01> ended with 100 & stopped")
                  .setFailure(
                      new NotifiedFailure()
                          .setJob("g7.Update.h01.4")
                          .setStep(JobStep.Update)
                          .setAttempt(1)
                          .setMessage("dpkg <h01> ended with 100 & stopped")
                          .setSignature("Update: dpkg <HOST> ended with N & stopped"))
                  .setSilence(
                      new AlertSilence()
                          .setHost("h01")
                          .setBegin(1_795_000_000_000L)
                          .setEnd(1_795_000_600_000L));
        },
        CONTEXT);
  }

  private static NotifiedFailure diskFull() {
    return new NotifiedFailure()
        .setJob("g7.Update.h01.4")
        .setStep(JobStep.Update)
        .setAttempt(1)
        .setMessage("no space left")
        .setSignature("disk-full")
        .setTried(
            new TriedRepairArray(
                new TriedRepair()
                    .setAction("Diagnose")
                    .setJob("g7.Repair.h01.5")
                    .setState(JobState.Done)
                    .setMessage("disk-full (disk.freePercent: got 0, want under 1)")
                    .setEndedAt(1_795_000_100_000L),
                new TriedRepair()
                    .setAction("CleanDisk")
                    .setJob("g7.Repair.h01.6")
                    .setState(JobState.Failed)
                    .setMessage("nothing matches its rules")));
  }

  private static Notification told(NotificationEvent event, String kind) {
    return new Notification()
        .setId("4711-1795000600000")
        .setCursor("4711")
        .setAt(1_795_000_600_000L)
        .setEvent(event)
        .setKind(kind)
        .setHost("h01")
        .setRollout("r7")
        .setRelease("2")
        .setApplications(WireCollections.strings(List.of("search-leaf", "search-root")));
  }

  private static Map<String, Object> recorded(String name) throws IOException {
    try (InputStream in = BodyShapeTest.class.getResourceAsStream("/webhook/" + name)) {
      return Json.readTree(
          new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8));
    }
  }
}
