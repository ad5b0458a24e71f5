package dev.drydock.cli;

import dev.drydock.impact.plan.Plan;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A plan as CSV: host,start,end in the order hosts begin, in seconds from the beginning. */
final class PlanFile {
  private PlanFile() {}

  static void write(Path file, Plan plan) throws IOException {
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      writer.write("host,start,end\n");
      for (Plan.Step step : plan.steps()) {
        for (String host : step.hosts()) {
          writer.write(
              host + "," + seconds(step.beginMillis()) + "," + seconds(step.endMillis()) + "\n");
        }
      }
    }
  }

  private static String seconds(long millis) {
    long rest = millis % 1000;
    return millis / 1000 + (rest == 0 ? "" : ".%03d".formatted(rest));
  }
}
