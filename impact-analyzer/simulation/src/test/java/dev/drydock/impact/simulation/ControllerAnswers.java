package dev.drydock.impact.simulation;

import dev.drydock.impact.core.ControllerInquiry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What controllers were heard to say, newest last, and a second reading of what that is worth.
 *
 * @param asks of one topic, ended ones alone
 */
record ControllerAnswers(List<ControllerInquiry> asks) {
  private static final Duration BEGUN_AGE_MAX = Duration.ofSeconds(30);

  ControllerAnswers {
    asks = List.copyOf(asks);
  }

  private static Optional<ControllerInquiry> last(
      List<ControllerInquiry> asks, Set<String> taken, boolean begun) {
    for (ControllerInquiry controllerInquiry : asks.reversed()) {
      for (ControllerInquiry.Group group : controllerInquiry.groups()) {
        if ((!begun || group.begun()) && group.instances().stream().anyMatch(taken::contains)) {
          return Optional.of(controllerInquiry);
        }
      }
    }
    return Optional.empty();
  }

  /** Why it is not said that these may go down now while those are down. */
  Optional<String> against(Set<String> taken, Set<String> down, Instant at, boolean begun) {
    if (taken.isEmpty()) {
      return Optional.empty();
    }
    Optional<ControllerInquiry> last = last(asks, taken, begun);
    if (last.isEmpty()) {
      return Optional.of("the controller never answered about " + taken);
    }
    ControllerInquiry controllerInquiry = last.get();
    if (begun && Duration.between(controllerInquiry.at(), at).compareTo(BEGUN_AGE_MAX) > 0) {
      return Optional.of(
          "the controller was last asked about " + taken + " at " + controllerInquiry.at());
    }
    if (!(controllerInquiry.outcome() instanceof ControllerInquiry.Answered said)) {
      return Optional.of("the controller was silent about " + taken);
    }
    if (!said.approved().containsAll(taken)) {
      return Optional.of("the controller did not approve " + taken + ", but " + said.approved());
    }
    if (!at.isBefore(said.until())) {
      return Optional.of("the approval of " + taken + " ended at " + said.until());
    }
    Set<String> untold = new HashSet<>(down);
    untold.removeAll(taken);
    untold.removeAll(controllerInquiry.presumedDown());
    untold.removeAll(said.approved());
    return untold.isEmpty()
        ? Optional.empty()
        : Optional.of("the controller was not told that " + untold + " would be down");
  }

  /** Whether these wait because it said no, so that nobody has to wait behind them. */
  boolean no(Set<String> taken, Instant at) {
    Optional<ControllerInquiry> last = last(asks, taken, false);
    if (last.isEmpty()) {
      return false;
    }
    if (!(last.get().outcome() instanceof ControllerInquiry.Answered said)) {
      return true;
    }
    Set<String> asked = new HashSet<>();
    last.get().groups().forEach(group -> asked.addAll(group.instances()));
    boolean none = taken.stream().noneMatch(said.approved()::contains);
    boolean some = asked.containsAll(taken) && !said.approved().containsAll(taken);
    return none || (some && at.isBefore(said.again()));
  }
}
