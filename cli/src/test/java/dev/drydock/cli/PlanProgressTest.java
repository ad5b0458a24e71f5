package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PlanProgressTest {
  private final StringWriter err = new StringWriter();
  private long millis;

  private PlanProgress progress(boolean terminal) {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    CliEnvironment around =
        new CliEnvironment(Map.of(), Path.of("."), nowhere, new PrintWriter(err), terminal);
    return new PlanProgress(around, Duration.ofSeconds(10), () -> millis * 1_000_000);
  }

  private void plans(PlanProgress progress) {
    millis = 100;
    progress.planned(10_000, 300_000);
    millis = 3_000;
    progress.planned(150_000, 300_000);
    progress.planned(151_000, 300_000);
    millis = 4_000;
    progress.planned(10_000, 300_000);
    millis = 5_000;
    assertThat(progress.isLeft()).isTrue();
    millis = 10_000;
    assertThat(progress.isLeft()).isFalse();
    progress.close();
  }

  @Test
  void drawsThePlanThenTheSearchOnOneLineAndTakesItAway() {
    plans(progress(true));
    assertThat(err.toString().split("\r\u001b\\[2K", -1))
        .containsExactly(
            "",
            "planning [###############...............] 3s",
            "searching for a shorter plan [###############...............] 5s",
            "searching for a shorter plan [##############################] 10s",
            "");
  }

  @Test
  void isSilentWhereNobodyLooks() {
    plans(progress(false));
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void saysNothingOfASmallFleet() {
    PlanProgress progress = progress(true);
    millis = 400;
    progress.planned(50, 100);
    progress.close();
    assertThat(err.toString()).isEmpty();
  }
}
