package dev.drydock.cli;

import dev.drydock.impact.plan.SearchBudget;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Tells a person how far planning is, on one line that is drawn again: first the plan itself, by
 * hosts or batches that have their time, then the search for a shorter one, by the time it has.
 * Says nothing where nobody looks, nor in the first moments, in which a small fleet is planned.
 * Called from the thread that plans.
 */
final class PlanProgress implements SearchBudget, AutoCloseable {
  private static final int BAR = 30;
  private static final Duration SILENT = Duration.ofMillis(500);
  private static final Duration EVERY = Duration.ofMillis(100);

  private final PrintWriter err;
  private final boolean redraws;
  private final LongSupplier nanos;
  private final Duration search;
  private final long begun;
  private long drawn;
  private boolean shown;
  private int planned;
  private boolean searches;

  /**
   * From now on.
   *
   * @param search how long may be searched
   * @param nanos only goes forward
   */
  PlanProgress(CliEnvironment around, Duration search, LongSupplier nanos) {
    this.err = around.err();
    this.redraws = around.terminal();
    this.nanos = nanos;
    this.search = search;
    this.begun = nanos.getAsLong();
    this.drawn = begun + SILENT.minus(EVERY).toNanos();
  }

  @Override
  public boolean isLeft() {
    long elapsed = nanos.getAsLong() - begun;
    if (searches) {
      draw("searching for a shorter plan", elapsed, search.toNanos());
    }
    return elapsed < search.toNanos();
  }

  /** Whoever is counted from the beginning once more is planned in another order. */
  @Override
  public void planned(int units, int of) {
    searches |= units < planned;
    planned = units;
    if (!searches) {
      draw("planning", units, of);
    }
  }

  private void draw(String what, long done, long all) {
    long now = nanos.getAsLong();
    if (redraws && now - drawn >= EVERY.toNanos()) {
      drawn = now;
      shown = true;
      int full = (int) (BAR * Math.clamp((double) done / Math.max(1, all), 0, 1));
      err.printf(
          "\r\u001b[2K%s [%s%s] %s",
          what,
          "#".repeat(full),
          ".".repeat(BAR - full),
          TextFormat.duration((now - begun) / 1_000_000));
      err.flush();
    }
  }

  /** Takes the line away: what comes next stands alone. */
  @Override
  public void close() {
    if (shown) {
      err.print("\r\u001b[2K");
      err.flush();
    }
  }
}
