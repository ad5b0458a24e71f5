package dev.drydock.lock.core.txn;

import dev.drydock.lock.core.Brake;

/** What decides who may grant, and by which rules. */
public final class ControlTransactions {
  private ControlTransactions() {}

  /**
   * Becomes the grantor if there is none, else reads who is.
   *
   * @param vote unique, so that a lost answer is read back
   * @param lease the leadership goes with it
   */
  public static Transaction elect(String vote, long lease) {
    Key.Leader leader = new Key.Leader();
    return Transaction.named("elect")
        .ifAbsent(leader)
        .putLeased(leader, vote, lease)
        .otherwiseGet(leader)
        .build();
  }

  /**
   * Fails every grant judged before.
   *
   * @param generationCause for people; the revision is what counts
   */
  public static Transaction bumpGeneration(GenerationCause generationCause) {
    return Transaction.named("bump generation").put(new Key.Generation(), generationCause).build();
  }

  /**
   * Pulls the brake unless it is pulled already. It comes and goes with a new generation, so that
   * by the answer no grant judged before can be committed any more, and nobody who was sent before
   * pulls it again once it was lifted.
   *
   * @param generation modification revision of the generation, 0 while there is none
   */
  public static Transaction freeze(Brake brake, long generation) {
    Key.Brake key = new Key.Brake();
    return Transaction.named("freeze")
        .ifModifiedAt(new Key.Generation(), generation)
        .put(new Key.Generation(), new GenerationCause("freeze", brake.by(), brake.reason()))
        .ifAbsent(key)
        .put(key, brake)
        .build();
  }

  /** Lifts this brake and none pulled since. */
  public static Transaction unfreeze(StoredValue<Brake> brake, String by, String reason) {
    return Transaction.named("unfreeze")
        .put(new Key.Generation(), new GenerationCause("unfreeze", by, reason))
        .ifModifiedAt(brake.key(), brake.modified())
        .delete(brake.key())
        .build();
  }

  /** The next beat (protocol P10). */
  public static Transaction beat(long beat) {
    return Transaction.named("beat").put(new Key.Beat(), beat).build();
  }

  /** The beat, the epoch and the generation, of one moment. */
  public static Transaction readTime() {
    return Transaction.named("read time")
        .get(new Key.Beat())
        .get(new Key.Epoch())
        .get(new Key.Generation())
        .build();
  }

  /** An epoch begins; what was judged before fails. */
  public static Transaction begin(long epoch, long beat) {
    return Transaction.named("begin epoch")
        .put(new Key.Epoch(), epoch)
        .put(new Key.Beat(), beat)
        .put(new Key.Generation(), new GenerationCause("epoch", "recovery", "a store was restored"))
        .build();
  }

  /** The first epoch of a new etcd; later ones are written by recovery alone. */
  public static Transaction firstEpoch() {
    return Transaction.named("first epoch")
        .ifAbsent(new Key.Epoch())
        .put(new Key.Epoch(), 1L)
        .put(new Key.Generation(), new GenerationCause("first", "", "a new etcd"))
        .build();
  }
}
