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
class StandingsTest {
  private static final Duration AGE_MAX = Policy.DEFAULT_HEALTH_AGE_MAX;

  /** How an application stands in a view, by the locks of a request. */
  private interface Counter {
    Map<Instance, String> notUp(Fleet fleet, String application, Request request);
  }

  private static Map<Instance, String> remembered(
      Fleet fleet, String application, Request request) {
    return fleet.standings().of(application, AGE_MAX, request).notUp();
  }

  private static Map<Instance, String> oneByOne(Fleet fleet, String application, Request request) {
    UpCheck upCheck = new UpCheck(fleet, request.held(), request.ending());
    Map<Instance, String> notUp = new HashMap<>();
    for (Instance instance : fleet.allocatedTo(application)) {
      upCheck.notUp(instance, AGE_MAX).ifPresent(why -> notUp.put(instance, why));
    }
    return notUp;
  }

  private static String complaint(World world, Counter counter) {
    Fleet fleet = world.fleet();
    Random random = new Random(world.hashCode());
    for (int asked = 0; asked < 20; asked++) {
      Request request = request(random, world);
      for (String application : List.of("a0", "a1")) {
        Map<Instance, String> told = counter.notUp(fleet, application, request);
        Map<Instance, String> is = oneByOne(fleet, application, request);
        if (!told.equals(is)) {
          return "of %s by %s: %s instead of %s".formatted(application, request, told, is);
        }
      }
    }
    return "";
  }

  private static Request request(Random random, World world) {
    Set<String> ending = hosts(random, world);
    Request asIs = new Request(Set.of("h0"), Set.of(), hosts(random, world));
    return random.nextBoolean() ? asIs : asIs.onceEnded(ending);
  }

  private static Set<String> hosts(Random random, World world) {
    Set<String> some = new HashSet<>();
    int most = random.nextInt(9);
    for (int i = 0; i < most; i++) {
      some.add("h" + random.nextInt(world.hosts().size() + 2));
    }
    return some;
  }

  @Test
  void saysOfEveryInstanceWhatOneLookAtItSays() {
    Properties.check(World::random, World::smaller, w -> complaint(w, StandingsTest::remembered));
  }

  @Test
  void theCheckCatchesLocksThatAreRememberedForTooLong() {
    Counter bug =
        (fleet, application, request) ->
            remembered(
                fleet,
                application,
                new Request(request.hosts(), Set.of(), Set.of(), request.ending()));
    assertThat(Properties.caught(World::random, World::smaller, w -> complaint(w, bug)))
        .contains(UpCheck.LOCKED);
  }

  @Test
  void theCheckCatchesWhoForgetsThatSomeCountAsDone() {
    Counter bug =
        (fleet, application, request) ->
            remembered(
                fleet,
                application,
                new Request(request.hosts(), Set.of(), request.held(), Optional.empty()));
    assertThat(Properties.caught(World::random, World::smaller, w -> complaint(w, bug)))
        .contains("instead of");
  }
}
