package dev.drydock.impact.core;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What of an application is up in one view of the fleet, remembered, because a round asks about the
 * same applications hundreds of times and only the locks differ:
 *
 * <ol>
 *   <li>An application is looked at instance by instance once, as if nothing was locked ({@link
 *       UpCheck}).
 *   <li>For each set of locked hosts the instances on these are laid over that, by whichever is
 *       less: the locked hosts or the instances of the application.
 *   <li>The results for the sets asked about last are remembered; who asks with the same set again
 *       gets the same answer.
 * </ol>
 *
 * <p>Property: the answer is what {@link UpCheck} says of each instance. Safe for use by many
 * threads.
 */
final class AvailabilityCache {
  /** All holders, those who stay, and what is kept for others besides: each more than once. */
  private static final int SUPPOSITIONS_MAX = 8;

  private final Fleet fleet;
  private final Map<Unlocked, Map<FleetInstance, String>> unlocked = new HashMap<>();
  private final Deque<Supposition> recent = new ArrayDeque<>();

  AvailabilityCache(Fleet fleet) {
    this.fleet = fleet;
  }

  /** How an application stands. */
  static final class Standing {
    private final int up;
    private final Map<FleetInstance, String> notUp;
    private @Nullable String notUpNames;

    Standing(int up, Map<FleetInstance, String> notUp) {
      this.up = up;
      this.notUp = notUp;
    }

    /** Instances that are up. */
    int up() {
      return up;
    }

    /** All others, with the reason; in no particular order. */
    Map<FleetInstance, String> notUp() {
      return notUp;
    }

    /** Some of these by name, put in order once for all who wait for them. */
    synchronized String notUpNames() {
      if (notUpNames == null) {
        notUpNames = ApplicationState.names(notUp);
      }
      return notUpNames;
    }
  }

  private record Unlocked(String application, Duration healthAgeMax, boolean ending) {}

  private record Judged(String application, Duration healthAgeMax) {}

  /** Which hosts are locked, and which count as done. */
  private record Supposition(
      Set<String> held, Optional<Set<String>> ending, Map<Judged, Standing> known) {

    /** The sets are large: whether they are the same ones is asked, not whether they are equal. */
    @SuppressWarnings("ReferenceEquality")
    boolean isOf(DisruptionRequest disruptionRequest) {
      return held == disruptionRequest.held()
          && ending.orElse(held) == disruptionRequest.ending().orElse(held)
          && ending.isPresent() == disruptionRequest.ending().isPresent();
    }
  }

  /** By the locks of the request, before it takes anything. */
  synchronized Standing of(
      String application, Duration healthAgeMax, DisruptionRequest disruptionRequest) {
    return supposition(disruptionRequest)
        .known()
        .computeIfAbsent(
            new Judged(application, healthAgeMax), judged -> standing(judged, disruptionRequest));
  }

  private Supposition supposition(DisruptionRequest disruptionRequest) {
    for (Supposition supposition : recent) {
      if (supposition.isOf(disruptionRequest)) {
        return supposition;
      }
    }
    if (recent.size() == SUPPOSITIONS_MAX) {
      recent.removeLast();
    }
    Supposition next =
        new Supposition(disruptionRequest.held(), disruptionRequest.ending(), new HashMap<>());
    recent.addFirst(next);
    return next;
  }

  private Standing standing(Judged judged, DisruptionRequest disruptionRequest) {
    List<FleetInstance> allocated = fleet.allocatedTo(judged.application());
    Map<FleetInstance, String> notUp = new LinkedHashMap<>();
    unlocked(judged, disruptionRequest.ending().isPresent())
        .forEach(
            (fleetInstance, why) -> {
              if (!done(fleetInstance, disruptionRequest)) {
                notUp.put(fleetInstance, why);
              }
            });
    locked(judged.application(), allocated, disruptionRequest.held())
        .forEach(fleetInstance -> notUp.put(fleetInstance, UpCheck.LOCKED));
    return new Standing(allocated.size() - notUp.size(), notUp);
  }

  private Map<FleetInstance, String> unlocked(Judged judged, boolean ending) {
    return unlocked.computeIfAbsent(
        new Unlocked(judged.application(), judged.healthAgeMax(), ending), this::unlocked);
  }

  private Map<FleetInstance, String> unlocked(Unlocked question) {
    UpCheck upCheck =
        new UpCheck(fleet, Set.of(), question.ending() ? Optional.of(Set.of()) : Optional.empty());
    Map<FleetInstance, String> notUp = new LinkedHashMap<>();
    for (FleetInstance fleetInstance : fleet.allocatedTo(question.application())) {
      upCheck
          .notUp(fleetInstance, question.healthAgeMax())
          .ifPresent(why -> notUp.put(fleetInstance, why));
    }
    return notUp;
  }

  /** Nothing counts as done on a host that nobody knows. */
  private boolean done(FleetInstance fleetInstance, DisruptionRequest disruptionRequest) {
    return disruptionRequest
            .ending()
            .filter(those -> those.contains(fleetInstance.host()))
            .isPresent()
        && known(fleetInstance);
  }

  private boolean known(FleetInstance fleetInstance) {
    return fleet.host(fleetInstance.host()).isPresent();
  }

  private List<FleetInstance> locked(
      String application, List<FleetInstance> allocated, Set<String> held) {
    return held.size() < allocated.size()
        ? held.stream()
            .flatMap(host -> fleet.allocatedOn(host).stream())
            .filter(
                fleetInstance ->
                    fleetInstance.application().equals(application) && known(fleetInstance))
            .toList()
        : allocated.stream()
            .filter(fleetInstance -> held.contains(fleetInstance.host()) && known(fleetInstance))
            .toList();
  }
}
