package dev.drydock.impact.service.gates;

import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.GateReading;
import dev.drydock.platform.rounds.DutyLoop;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the answers to gates fresh beside the grantor, which never waits for monitoring: who judges
 * says which gates it needs and gets what was last heard. A gate nobody needs any more is not asked
 * about. Safe for use by many threads.
 */
public final class GateWatch implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GateWatch.class);

  private static final Duration ROUND = Duration.ofSeconds(5);
  private static final Duration NEEDED = Duration.ofMinutes(2);
  private static final String NONE =
      "this server knows no Prometheus: set prometheus.url in its configuration";

  private final Optional<Prometheus> prometheus;
  private final Map<Gate, Kept> kept = new ConcurrentHashMap<>();
  private final DutyLoop dutyLoop = new DutyLoop("gates");
  private final ExecutorService asking = Executors.newVirtualThreadPerTaskExecutor();

  /** Since when it is not needed any more, by the monotonic clock, and what was heard. */
  private record Kept(long neededNanos, boolean asking, Optional<GateReading> heard) {}

  /**
   * Over the Prometheus at this address; without one every gate is unknown.
   *
   * @param address its root
   */
  public GateWatch(Optional<URI> address) {
    this.prometheus = address.map(Prometheus::new);
  }

  /** What was last heard of each; one that is new is asked about now and answered next time. */
  public Map<Gate, GateReading> readings(Set<Gate> gates, Instant now) {
    Map<Gate, GateReading> readings = new HashMap<>();
    for (Gate gate : gates) {
      if (prometheus.isEmpty()) {
        readings.put(gate, new GateReading.Unknown(NONE));
        continue;
      }
      long asked = System.nanoTime();
      Kept known =
          kept.compute(
              gate,
              (_, before) ->
                  before == null
                      ? new Kept(asked, false, Optional.empty())
                      : new Kept(asked, before.asking(), before.heard()));
      known.heard().ifPresentOrElse(heard -> readings.put(gate, heard), () -> begin(gate, now));
    }
    return readings;
  }

  /** Begins to ask on its own; the clock is that of the server. */
  public void start() {
    dutyLoop.every(ROUND, "ask monitoring", this::round);
  }

  private void round() {
    long old = System.nanoTime() - NEEDED.toNanos();
    kept.values().removeIf(gate -> gate.neededNanos() - old < 0);
    kept.keySet().forEach(gate -> begin(gate, Instant.now()));
  }

  private void begin(Gate gate, Instant now) {
    boolean[] mine = {false};
    kept.computeIfPresent(
        gate,
        (_, before) -> {
          mine[0] = !before.asking();
          return new Kept(before.neededNanos(), true, before.heard());
        });
    if (mine[0]) {
      asking.execute(() -> ask(gate, now));
    }
  }

  private void ask(Gate gate, Instant now) {
    GateReading heard = new GateReading.Unknown("asking Prometheus was interrupted");
    try {
      heard = prometheus.orElseThrow().ask(gate, now);
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException unexpected) {
      log.warn("asking Prometheus about {} failed", gate, unexpected);
      heard = new GateReading.Unknown("asking Prometheus failed: " + unexpected);
    }
    Optional<GateReading> answer = Optional.of(heard);
    kept.computeIfPresent(gate, (_, before) -> new Kept(before.neededNanos(), false, answer));
  }

  @Override
  public void close() {
    dutyLoop.close();
    asking.shutdownNow();
  }
}
