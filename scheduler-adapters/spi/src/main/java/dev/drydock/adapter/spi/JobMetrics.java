package dev.drydock.adapter.spi;

import com.sun.net.httpserver.HttpServer;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobStep;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;

/**
 * What Prometheus is told of this consumer; the host operator uses the same names. One catalogue
 * for the process, safe for use by many threads.
 */
public final class JobMetrics {
  private static final PrometheusRegistry REGISTRY = new PrometheusRegistry();

  static final Counter CLAIMED =
      Counter.builder()
          .name("drydock_consumer_jobs_claimed_total")
          .help("Jobs claimed, by step.")
          .labelNames("step")
          .register(REGISTRY);

  static final Counter ENDED =
      Counter.builder()
          .name("drydock_consumer_jobs_ended_total")
          .help("Jobs whose end the board took, by step and outcome.")
          .labelNames("step", "outcome")
          .register(REGISTRY);

  static final Counter REASSERTED =
      Counter.builder()
          .name("drydock_adapter_rotation_reasserted_total")
          .help("Instances that somebody put back in rotation while their host was worked on.")
          .register(REGISTRY);

  static final Histogram SECONDS =
      Histogram.builder()
          .name("drydock_consumer_job_seconds")
          .help("From asking for the claim to the end, by step.")
          .labelNames("step")
          .classicOnly()
          .classicUpperBounds(1, 3, 10, 30, 100, 300, 1000, 3000)
          .register(REGISTRY);

  static { // A metric that was never counted is still there to be looked at.
    for (JobStep step : List.of(JobStep.Cordon, JobStep.Drain, JobStep.Recover, JobStep.Uncordon)) {
      CLAIMED.initLabelValues(step.name());
      SECONDS.initLabelValues(step.name());
      for (JobOutcome outcome : List.of(JobOutcome.Done, JobOutcome.Failed, JobOutcome.Unknown)) {
        ENDED.initLabelValues(step.name(), outcome.name());
      }
    }
  }

  private JobMetrics() {}

  /**
   * Offers {@code /metrics} until it is stopped.
   *
   * @param address HOST:PORT
   * @throws IllegalArgumentException if it is none
   * @throws IOException if the port cannot be had
   */
  public static HttpServer serve(String address) throws IOException {
    URI parsed = URI.create("http://" + address);
    if (parsed.getHost() == null || parsed.getPort() < 0) {
      throw new IllegalArgumentException("not HOST:PORT, like 127.0.0.1:9100: " + address);
    }
    HttpServer server =
        HttpServer.create(new InetSocketAddress(parsed.getHost(), parsed.getPort()), 0);
    server.createContext(
        "/metrics",
        exchange -> {
          try (exchange) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
            writer.write(text, REGISTRY.scrape());
            exchange.getResponseHeaders().set("Content-Type", writer.getContentType());
            exchange.sendResponseHeaders(200, text.size());
            text.writeTo(exchange.getResponseBody());
          }
        });
    server.start();
    return server;
  }
}
