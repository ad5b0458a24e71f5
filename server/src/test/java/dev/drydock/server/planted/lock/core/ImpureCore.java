package dev.drydock.server.planted.lock.core;

import dev.drydock.server.planted.impact.core.OtherCore;
import java.io.File;
import java.time.Instant;

/** A core that reads clock and files and knows the other core. */
final class ImpureCore {
  File file = new File("planted");
  Instant when = Instant.now();
  OtherCore other = new OtherCore();
}
