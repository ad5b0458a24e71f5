package dev.drydock.impact.service.gates;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.impact.core.Gate;
import dev.drydock.impact.core.GateReading;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A Prometheus that watches itself, at {@code -Dprometheus.url=http://127.0.0.1:9090}. */
@Tag("prometheus")
class RealPrometheusTest {
  private final Prometheus prometheus =
      new Prometheus(URI.create(System.getProperty("prometheus.url", "")));

  private GateReading ask(String promql, Duration lasting) throws InterruptedException {
    return prometheus.ask(new Gate(promql, lasting), Instant.now());
  }

  @Test
  void saysWhatHoldsWhatDoesNotAndWhatItCannotTell() throws InterruptedException {
    Duration moment = Duration.ofSeconds(3);
    assertThat(ask("max(up) == 1", moment)).isInstanceOf(GateReading.Holds.class);
    assertThat(ask("max(up) == 1", Duration.ZERO)).isInstanceOf(GateReading.Holds.class);
    assertThat(ask("max(up) > 1", moment).toString()).contains("Fails", "is not true");
    assertThat(ask("max(up) == 1", Duration.ofHours(160)).toString())
        .as("it has not been there for so long")
        .contains("Fails", "was not true at");
    assertThat(ask("prometheus_http_requests_total >= 0", moment).toString())
        .contains("Unknown", "results, not one");
    assertThat(ask("0 / 0 != bool 1 > ", moment).toString())
        .contains("Unknown", "Prometheus says bad_data: ");
    assertThat(ask("nothing_at_all > 0", moment).toString()).contains("Fails", "is not true");
  }
}
