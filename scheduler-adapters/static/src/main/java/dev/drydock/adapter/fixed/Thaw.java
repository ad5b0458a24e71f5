package dev.drydock.adapter.fixed;

import dev.drydock.adapter.spi.Outcome;
import dev.drydock.adapter.spi.Reading;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Lifts the cordon of a host that was not drained, and reads the host. */
final class Thaw {
  private final Instruments use;

  Thaw(Instruments use) {
    this.use = use;
  }

  Outcome run(Target target) throws IOException, InterruptedException {
    if (use.hosts().claim(target.host(), target.work()).cordon().isPresent()) {
      use.hosts().liftCordon(target.host(), target.work());
    }
    long mark = target.work().mark();
    HostState after = use.hosts().read(target.host());
    Reading reading = new Reading(mark, use.observer().host(target.host(), after));
    if (after.cordon().isPresent()) {
      return new Outcome.Failed(
          target.host().name() + " still shows a cordon after it was lifted", Optional.of(reading));
    }
    return new Outcome.Done(
        target.host().name() + " is not frozen", Map.of(), Optional.of(reading));
  }
}
