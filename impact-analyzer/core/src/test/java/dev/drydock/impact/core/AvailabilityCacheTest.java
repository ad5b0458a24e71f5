package dev.drydock.impact.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is remembered against looking at every instance again. */
class AvailabilityCacheTest {
  private static final Duration AGE_MAX = Policy.DEFAULT_HEALTH_AGE_MAX;

  /** How an application stands in a view, by the locks of a request. */
  private interface Counter {
    Map<FleetInstance, String> notUp(
        Fleet fleet, String application, DisruptionRequest disruptionRequest);
  }

  private static Map<FleetInstance, String> remembered(
      Fleet fleet, String application, DisruptionRequest disruptionRequest) {
    return fleet.standings().of(application, AGE_MAX, disruptionRequest).notUp();
  }

  private static Map<FleetInstance, String> oneByOne(
      Fleet fleet, String application, DisruptionRequest disruptionRequest) {
    UpCheck upCheck = new UpCheck(fleet, disruptionRequest.held(), disruptionRequest.ending());
    Map<FleetInstance, String> notUp = new HashMap<>();
    for (FleetInstance fleetInstance : fleet.allocatedTo(application)) {
      upCheck.notUp(fleetInstance, AGE_MAX).ifPresent(why -> notUp.put(fleetInstance, why));
    }
    return notUp;
  }

  private static String complaint(RandomFleet randomFleet, Counter counter) {
    Fleet fleet = randomFleet.fleet();
    Random random = new Random(randomFleet.hashCode());
    for (int asked = 0; asked < 20; asked++) {
      DisruptionRequest disruptionRequest = request(random, randomFleet);
      for (String application : List.of("a0", "a1")) {
        Map<FleetInstance, String> told = counter.notUp(fleet, application, disruptionRequest);
        Map<FleetInstance, String> is = oneByOne(fleet, application, disruptionRequest);
        if (!told.equals(is)) {
          return "of %s by %s: %s instead of %s"
              .formatted(application, disruptionRequest, told, is);
        }
      }
    }
    return "";
  }

  private static DisruptionRequest request(Random random, RandomFleet randomFleet) {
    Set<String> ending = hosts(random, randomFleet);
    DisruptionRequest asIs =
        new DisruptionRequest(Set.of("h0"), Set.of(), hosts(random, randomFleet));
    return random.nextBoolean() ? asIs : asIs.onceEnded(ending);
  }

  private static Set<String> hosts(Random random, RandomFleet randomFleet) {
    Set<String> some = new HashSet<>();
    int most = random.nextInt(9);
    for (int i = 0; i < most; i++) {
      some.add("h" + random.nextInt(randomFleet.hosts().size() + 2));
    }
    return some;
  }

  @Test
  void saysOfEveryInstanceWhatOneLookAtItSays() {
    Properties.check(
        RandomFleet::random,
        RandomFleet::smaller,
        w -> complaint(w, AvailabilityCacheTest::remembered));
  }

  @Test
  void theCheckCatchesLocksThatAreRememberedForTooLong() {
    Counter bug =
        (fleet, application, disruptionRequest) ->
            remembered(
                fleet,
                application,
                new DisruptionRequest(
                    disruptionRequest.hosts(), Set.of(), Set.of(), disruptionRequest.ending()));
    assertThat(Properties.caught(RandomFleet::random, RandomFleet::smaller, w -> complaint(w, bug)))
        .contains(UpCheck.LOCKED);
  }

  @Test
  void theCheckCatchesWhoForgetsThatSomeCountAsDone() {
    Counter bug =
        (fleet, application, disruptionRequest) ->
            remembered(
                fleet,
                application,
                new DisruptionRequest(
                    disruptionRequest.hosts(),
                    Set.of(),
                    disruptionRequest.held(),
                    Optional.empty()));
    assertThat(Properties.caught(RandomFleet::random, RandomFleet::smaller, w -> complaint(w, bug)))
        .contains("instead of");
  }
}
