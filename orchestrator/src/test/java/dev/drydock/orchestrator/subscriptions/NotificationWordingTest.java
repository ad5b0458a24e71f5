package dev.drydock.orchestrator.subscriptions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.NotificationEvent;
import dev.drydock.orchestrator.events.FeedEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Events in the words of teams, and what filters and policies leave of them. */
class NotificationWordingTest {
  private static final List<String> TEAMS = List.of("search", "ads", "mail");
  private static final List<String> APPLICATIONS = List.of("web", "api", "db");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "HostUpgradeChanged | {\"state\": \"InProgress\"}                       | Started",
        "HostUpgradeChanged | {\"state\": \"InProgress\", \"step\": \"Drain\"}  | Down",
        "HostUpgradeChanged | {\"state\": \"InProgress\", \"step\": \"Update\"} | ''",
        "HostUpgradeChanged | {\"state\": \"Pending\", \"step\": \"Drain\"}     | ''",
        "HostUpgradeChanged | {\"state\": \"Cancelled\"}                        | Cancelled",
        "RolloutChanged     | {\"state\": \"Paused\"}                           | Paused",
        "RolloutChanged     | {\"state\": \"Running\"}                          | Resumed",
        "JobFailed          | {\"job\": \"g1.Update.h01.3\"}                    | Failed",
        "JobFailed          | {\"job\": \"g1.Verify.h01.1\"}                    | ''",
        "HostReverted       | {}                                                | Failed, Back",
        "HostUpgraded       | {}                                                | Done, Back",
        "JobPublished       | {}                                                | ''",
        "OfANewerVersion    | {}                                                | ''",
      })
  void anEventIsSoManyWords(String kind, String data, String words) {
    assertThat(NotificationWording.words(event(kind, data, Map.of())))
        .hasToString("[" + words + "]");
  }

  @Test
  void everyWordIsToldBySomeKind() {
    for (NotificationEvent word : NotificationWording.all()) {
      assertThat(NotificationWording.kinds(Set.of(word))).as(word.name()).isNotEmpty();
    }
  }

  /** Random filters, narrowings and events; the seed is printed. */
  @Test
  void nobodyIsEverToldOfOthersAndFiltersOnlyTakeAway() {
    long seed = Long.getLong("prop.seed", System.nanoTime());
    System.out.println("ToldTest: -Dprop.seed=" + seed);
    Random random = new Random(seed);
    for (int run = 0; run < 2_000; run++) {
      FeedEvent event =
          event(
              List.of("HostQuarantined", "HostUpgraded", "HostReverted", "JobPublished")
                  .get(random.nextInt(4)),
              "{}",
              Map.of(
                  TEAMS.get(random.nextInt(3)),
                  some(random, APPLICATIONS),
                  "others",
                  APPLICATIONS));
      String team = TEAMS.get(random.nextInt(3));
      SubscriptionFilter all = new SubscriptionFilter(team, Set.of(), Set.of(), Set.of(), Map.of());
      SubscriptionFilter less =
          new SubscriptionFilter(
              team,
              Set.copyOf(some(random, List.copyOf(NotificationWording.all()))),
              Set.copyOf(some(random, APPLICATIONS)),
              random.nextInt(3) == 0 ? Set.of("r2") : Set.of(),
              random.nextBoolean()
                  ? Map.of("web", Set.copyOf(some(random, List.copyOf(NotificationWording.all()))))
                  : Map.of());
      List<String> own = event.owners().getOrDefault(team, List.of());
      less.telling(event)
          .ifPresent(
              telling -> {
                assertThat(own).containsAll(telling.applications());
                assertThat(NotificationWording.words(event)).contains(telling.word());
                assertThat(all.telling(event).orElseThrow().applications())
                    .containsAll(telling.applications());
              });
      assertThat(all.wants(event))
          .isEqualTo(!own.isEmpty() && !NotificationWording.words(event).isEmpty());
    }
  }

  @Test
  void hostsThatFailedAlikeHaveOneSignature() {
    assertThat(FailureSignature.of("Update", "dpkg on h01 ended with 100 after 3.5 s", "h01"))
        .isEqualTo(FailureSignature.of("Update", "dpkg on h02 ended with 2 after 41.2 s", "h02"))
        .isEqualTo("Update: dpkg on HOST ended with N after N s");
    assertThat(FailureSignature.of("Drain", "h01b and x-h01 are others", "h01"))
        .isEqualTo("Drain: h01b and x-h01 are others");
  }

  private static <T> List<T> some(Random random, List<T> all) {
    return all.stream().filter(_ -> random.nextBoolean()).toList();
  }

  private static FeedEvent event(String kind, String data, Map<String, List<String>> owners) {
    return new FeedEvent(
        7, Instant.EPOCH, kind, Optional.of("r1"), Optional.of("h01"), data, owners);
  }
}
