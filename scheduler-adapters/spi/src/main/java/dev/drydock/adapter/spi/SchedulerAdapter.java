package dev.drydock.adapter.spi;

import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * Joins one scheduler to Drydock: carries out what its jobs ask for on one host at a time, and
 * tells what runs where.
 *
 * <p>Rules for every step:
 *
 * <ul>
 *   <li>Idempotent. A step may be called again for the same host with a higher attempt after its
 *       predecessor died at any point. With {@link ClaimedStep#attempt()} above 1 read the target
 *       before changing it.
 *   <li>Call {@link Lease#requireLive()} right before each effect. An effect that cannot be fenced
 *       by the token on its target must be over within {@link Lease#MARGIN}.
 *   <li>"Done" is returned only after a read that verified it.
 *   <li>Undo only what this adapter did: what was out of service before the cordon stays out of
 *       service.
 *   <li>Bounded by {@link ClaimedStep#remaining()}; expected failures are outcomes, never
 *       exceptions.
 * </ul>
 *
 * <p>Called from several threads: one step per host at a time, different hosts side by side, {@link
 * #observe} beside them all.
 */
public interface SchedulerAdapter {
  /** Name of the scheduler; its jobs have the topic {@code scheduler/NAME}. */
  String scheduler();

  /** Under which name this adapter reports what it observes. */
  String source();

  /**
   * Called first for a granted host, while its instances still serve: stops new placements on it
   * and reads what really runs there. {@link StepOutcome.Done} must carry a reading; an answer that
   * shows more than was known when the host was granted lets the confirming check say no.
   */
  StepOutcome cordon(ClaimedStep claimedStep) throws InterruptedException;

  /**
   * Called after the last check said yes: takes the instances out of rotation, waits until no
   * request is open, for {@link ClaimedStep#drainMax} at most, and stops them. Tells how much is
   * left by {@link ClaimedStep#left} while it waits; with {@link ClaimedStep#force} it stops what
   * is left. {@link StepOutcome.Failed} means that nothing was stopped, or that {@link #recover}
   * can put it right; it may be called again after one, in a new round.
   */
  StepOutcome drain(ClaimedStep claimedStep) throws InterruptedException;

  /**
   * Called after the host passed its health check, or to undo a drain: starts the instances, waits
   * until they are healthy, puts them back in rotation and lifts the cordon. {@link
   * StepOutcome.Done} must carry a reading whose mark was fetched after the last effect: it is what
   * lets the hold end.
   */
  StepOutcome recover(ClaimedStep claimedStep) throws InterruptedException;

  /**
   * Called instead of {@link #recover} when the host was cordoned but never drained: lifts the
   * cordon.
   */
  StepOutcome uncordon(ClaimedStep claimedStep) throws InterruptedException;

  /**
   * Called about once a second: those of the hosts of which an instance is let into the rotation
   * now, whether it runs or not. All of them are worked on and should have none there.
   */
  Set<String> admitted(Set<String> hosts) throws IOException, InterruptedException;

  /**
   * Takes the instances of a host out of rotation that are let in, without waiting for them.
   *
   * @return those that it took out
   */
  List<String> takeOut(String host, Lease lease) throws IOException, InterruptedException;

  /** Undoes {@link #takeOut}. */
  void putBack(String host, List<String> instances, Lease lease)
      throws IOException, InterruptedException;

  /**
   * Called about once a second, under a mark that was fetched before: all hosts and instances of
   * this scheduler as they are now. An instance that serves no traffic is not healthy.
   */
  Observation observe() throws InterruptedException;
}
