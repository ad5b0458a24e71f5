package dev.drydock.impact.simulation;

import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.GateReading;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the policies' gates compare, and the watch that asks for it. It turns false and true again;
 * answers come late, or cannot be understood, until it is calm.
 */
final class Monitoring {
  private static final double ROUND_SECONDS = 5;
  private static final double UNKNOWN = 0.06;
  private static final double LATE = 0.06;

  private final Agenda agenda;
  private final Verifier verifier;
  private final Bug bug;
  private final Map<Gate, Signal> signals = new LinkedHashMap<>();
  private final Map<Gate, GateReading> heard = new HashMap<>();
  private boolean calm;

  Monitoring(Agenda agenda, Verifier verifier, Bug bug) {
    this.agenda = agenda;
    this.verifier = verifier;
    this.bug = bug;
  }

  /** What one gate compares: since when it is true, unless it is not. */
  private static final class Signal {
    Optional<Instant> since;
    boolean asked;

    Signal(Instant since) {
      this.since = Optional.of(since);
    }
  }

  void begin(Collection<Gate> gates) {
    gates.forEach(gate -> signals.put(gate, new Signal(agenda.now().minusSeconds(3600))));
    agenda.every(ROUND_SECONDS, ROUND_SECONDS, () -> true, this::round);
  }

  void calm() {
    calm = true;
    signals.values().forEach(this::rises);
  }

  /** One of them is false for a while. */
  void falls() {
    if (!signals.isEmpty()) {
      Signal signal = agenda.oneOf(List.copyOf(signals.values()));
      signal.since = Optional.empty();
      agenda.in(agenda.between(3, 60), () -> rises(signal));
    }
  }

  private void rises(Signal signal) {
    signal.since = signal.since.or(() -> Optional.of(agenda.now()));
  }

  /** Nobody is asked again before he answered. */
  private void round() {
    signals.forEach(
        (gate, signal) -> {
          if (!signal.asked) {
            signal.asked = true;
            KnownState.Sample sample =
                new KnownState.Sample(agenda.now(), calm || !agenda.chance(UNKNOWN), signal.since);
            boolean late = !calm && agenda.chance(LATE);
            agenda.in(
                late ? agenda.between(5, 60) : agenda.between(0.05, 1),
                () -> answered(gate, signal, sample));
          }
        });
  }

  private void answered(Gate gate, Signal signal, KnownState.Sample sample) {
    signal.asked = false;
    heard.put(gate, reading(gate, sample));
    verifier.monitored(gate.promql(), sample);
  }

  private GateReading reading(Gate gate, KnownState.Sample sample) {
    if (!sample.said()) {
      return new GateReading.Unknown("an error");
    }
    Instant least =
        bug == Bug.IGNORES_FOR_HOW_LONG_A_GATE_IS_TRUE
            ? sample.at()
            : sample.at().minus(gate.lasting());
    return sample.trueSince().filter(since -> !since.isAfter(least)).isPresent()
        ? new GateReading.Holds(sample.at())
        : new GateReading.Fails(sample.at(), "is false");
  }

  /** As the grantor reads it. */
  Map<Gate, GateReading> read() {
    Map<Gate, GateReading> read = new HashMap<>(heard);
    if (bug == Bug.TAKES_AN_UNKNOWN_GATE_FOR_TRUE) {
      read.replaceAll(
          (_, reading) ->
              reading instanceof GateReading.Unknown
                  ? new GateReading.Holds(agenda.now())
                  : reading);
    } else if (bug == Bug.BELIEVES_OLD_MONITORING) {
      read.replaceAll(
          (_, reading) ->
              reading instanceof GateReading.Holds ? new GateReading.Holds(agenda.now()) : reading);
    }
    return read;
  }
}
