package dev.drydock.adapter.spi;

import dev.drydock.api.DrainLeft;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a drain last told of what is left on its host; goes out with the next heartbeat, and with
 * the result of a drain that did not end well. Thread-safe.
 */
public final class Told {
  private volatile @Nullable DrainLeft left;

  void tell(long count, String what) {
    left = new DrainLeft().setCount(count).setWhat(what);
  }

  /** What was told last; empty before. */
  public Optional<DrainLeft> last() {
    return Optional.ofNullable(left);
  }
}
