package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.HostReading;
import dev.drydock.adapter.spi.StepOutcome;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Lifts the cordon of a host that was not drained, and reads the host. */
final class UncordonStep {
  private final StepContext use;

  UncordonStep(StepContext use) {
    this.use = use;
  }

  StepOutcome run(StepTarget stepTarget) throws IOException, InterruptedException {
    if (use.hosts().claim(stepTarget.host(), stepTarget.work()).cordon().isPresent()) {
      use.hosts().liftCordon(stepTarget.host(), stepTarget.work());
    }
    long mark = stepTarget.work().mark();
    HostState after = use.hosts().read(stepTarget.host());
    HostReading hostReading = new HostReading(mark, use.observer().host(stepTarget.host(), after));
    if (after.cordon().isPresent()) {
      return new StepOutcome.Failed(
          stepTarget.host().name() + " still shows a cordon after it was lifted",
          Optional.of(hostReading));
    }
    return new StepOutcome.Done(
        stepTarget.host().name() + " is not cordoned", Map.of(), Optional.of(hostReading));
  }
}
