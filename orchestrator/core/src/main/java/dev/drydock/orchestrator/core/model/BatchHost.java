package dev.drydock.orchestrator.core.model;

import dev.drydock.impact.core.DrainTerms;
import dev.drydock.impact.core.Ladder;
import java.util.Optional;

/**
 * A host that is still in its batch.
 *
 * @param scheduler whose adapter drains and recovers it
 * @param seemsDone whether the inventory says that it is on the release, or whether it has to be
 *     read before anything else
 * @param step what it is at, as people read it; empty before its first step
 * @param says why it waits, as people read it; empty while it does not
 * @param backTo the release it was taken back to amid its upgrade
 * @param returnsTo the release it had, if its packages can go back to that
 * @param drain how long its drain may take, and what becomes of it then
 * @param ladder what policies let be tried on it before it is quarantined
 * @param known what speaks against doing anything to it
 * @param condemned why it is to be quarantined, once that was decided: its lock may be a quarantine
 *     already
 */
public record BatchHost(
    String name,
    String scheduler,
    boolean seemsDone,
    String step,
    String says,
    Optional<String> backTo,
    Optional<String> returnsTo,
    DrainTerms drain,
    Ladder ladder,
    Known known,
    Optional<String> condemned) {

  /**
   * What rows tell of a host before anything was done to it.
   *
   * @param supersededBy which other rollout brought it further, in words; empty for none
   * @param down how much of what belongs in service there is down, in words; empty for nothing
   */
  public record Known(String supersededBy, String down) {
    public static final Known NOTHING = new Known("", "");
  }

  /** Nothing speaks against it. */
  public BatchHost(
      String name,
      String scheduler,
      boolean seemsDone,
      String step,
      String says,
      Optional<String> backTo,
      Optional<String> returnsTo,
      DrainTerms drain,
      Ladder ladder) {
    this(
        name,
        scheduler,
        seemsDone,
        step,
        says,
        backTo,
        returnsTo,
        drain,
        ladder,
        Known.NOTHING,
        Optional.empty());
  }

  /** The same at another step. */
  public BatchHost at(String newStep) {
    return with(newStep, says, backTo, condemned);
  }

  /** The same with another reason to wait. */
  public BatchHost saying(String reason) {
    return with(step, reason, backTo, condemned);
  }

  /** The same on another release. */
  public BatchHost backTo(Optional<String> release) {
    return with(step, says, release, condemned);
  }

  /** The same once it is to be quarantined. */
  public BatchHost condemned(String reason) {
    return with(step, says, backTo, Optional.of(reason));
  }

  private BatchHost with(
      String newStep, String reason, Optional<String> release, Optional<String> why) {
    return new BatchHost(
        name, scheduler, seemsDone, newStep, reason, release, returnsTo, drain, ladder, known, why);
  }
}
