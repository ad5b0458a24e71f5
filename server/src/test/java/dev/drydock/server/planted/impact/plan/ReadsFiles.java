package dev.drydock.server.planted.impact.plan;

import java.nio.file.Files;
import java.nio.file.Path;

/** A planner that looks for itself. */
final class ReadsFiles {
  boolean exists(Path file) {
    return Files.exists(file);
  }
}
