package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.ControlTransactions;
import dev.drydock.lock.core.txn.Fence;
import dev.drydock.lock.core.txn.Key;
import io.etcd.jetcd.kv.GetResponse;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Keeps etcd and the store of what was asked of one time (protocol P10): looks whether they are, at
 * the election, each second and after whatever was refused, and takes a beat in both. What this
 * grantor commits compares the beat it knows, so that nothing is committed into an etcd that was
 * restored since. Confined to the grantor's thread.
 */
final class EpochHeartbeat {
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final GrantorDependencies parts;
  private final FencedCommits commits;
  private boolean agreed;
  private boolean due;
  private boolean looked;
  private long lookedAt;
  private long revision;

  EpochHeartbeat(GrantorDependencies parts, FencedCommits commits) {
    this.parts = parts;
    this.commits = commits;
  }

  /** Another grantor may have been at work. */
  void elected() {
    looked = false;
    commits.forget();
  }

  /** Whether both stores are of one time, as of a second ago. */
  boolean agreed() {
    if (!looked || commits.doubtful() || System.nanoTime() - lookedAt > INTERVAL.toNanos()) {
      look();
    }
    return agreed;
  }

  /** What etcd was at when both were compared. */
  long revision() {
    return revision;
  }

  private void look() {
    GetResponse beat = parts.etcd().repeat(() -> parts.etcd().response(new Key.Beat()));
    revision = beat.getHeader().getRevision();
    if (revision < commits.revision()) {
      commits.forget(); // What it knew was in another etcd.
    }
    agreed = parts.candidates().agree();
    long modified = beat.getKvs().isEmpty() ? 0 : beat.getKvs().getFirst().getModRevision();
    commits.comparing(agreed && parts.fenced() ? OptionalLong.of(modified) : OptionalLong.empty());
    looked = true;
    due = agreed;
    lookedAt = System.nanoTime();
  }

  /**
   * Takes a beat when it is time to; false when something came in between. One that is not to be
   * had is none of this time: the beat before it may be gone.
   */
  boolean beat(Fence fence) {
    if (!due) {
      return true;
    }
    OptionalLong next = parts.candidates().nextBeat();
    if (next.isPresent()) {
      if (!commits.alone(ControlTransactions.beat(next.getAsLong()), fence)) {
        return false;
      }
      commits.beaten();
      parts.candidates().beatKept(next.getAsLong(), fence.generation());
    } else if (!parts.candidates().agree()) {
      agreed = false;
      return false;
    }
    due = false;
    return true;
  }
}
