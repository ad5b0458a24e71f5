package dev.drydock.adapter.spi;

import dev.drydock.api.DrainLeft;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a step last told while it ran: whether it has begun to change what runs on its host, and of
 * a drain what is left there, which goes out with the next heartbeat and with the result of one
 * that did not end well. Thread-safe.
 */
public final class StepProgress {
  private volatile @Nullable DrainLeft left;
  private volatile boolean begun;

  /** Something of what runs on the host is being changed. */
  void begin() {
    begun = true;
  }

  boolean hasBegun() {
    return begun;
  }

  void tell(long count, String what) {
    left = new DrainLeft().setCount(count).setWhat(what);
  }

  /** What was told last; empty before. */
  public Optional<DrainLeft> last() {
    return Optional.ofNullable(left);
  }
}
