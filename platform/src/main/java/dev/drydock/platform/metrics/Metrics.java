package dev.drydock.platform.metrics;

import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.JobStep;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.util.List;

/**
 * Every metric Drydock publishes, by name, in one place. Rooms count through these fields and
 * define none of their own. Safe for use by many threads.
 */
public final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();

  /** Grants committed by this process as grantor. */
  public final Counter grants =
      counter("drydock_grants_total", "Grants committed by this process as grantor.");

  /** Verdicts of the checks of granted batches. */
  public final Counter checks =
      counter("drydock_checks_total", "Checks decided, by kind and verdict.", "kind", "verdict");

  /** Jobs that came to an end. */
  public final Counter jobsCompleted =
      counter(
          "drydock_jobs_completed_total", "Jobs ended, by step and outcome.", "step", "outcome");

  /** Jobs that wait or run. */
  public final Gauge jobsOpen =
      gauge("drydock_jobs_open", "Jobs waiting or claimed, by step.", "step");

  /** Hosts of all rollouts. */
  public final Gauge hosts =
      gauge("drydock_hosts", "Hosts of running rollouts, by state of their upgrade.", "state");

  /** Tickets waiting in the queue. */
  public final Gauge lockWaiters =
      gauge("drydock_lock_waiters", "Tickets waiting in the lock queue.");

  /** Whether this process is the elected grantor. */
  public final Gauge isGrantor =
      gauge("drydock_is_grantor", "1 while this process is the elected grantor, else 0.");

  /** Time to answer a call; its count is the number of calls. */
  public final Histogram httpRequestSeconds =
      Histogram.builder()
          .name("drydock_http_request_seconds")
          .help("Time to answer HTTP requests, by resource and status.")
          .labelNames("resource", "status")
          .classicOnly()
          .classicUpperBounds(0.005, 0.025, 0.1, 0.25, 1, 2.5, 10)
          .register(registry);

  /** Wake-ups not yet taken by their workflow. */
  public final Gauge wakeupsUndelivered =
      gauge("drydock_wakeups_undelivered", "Wake-ups written but not yet taken by a workflow.");

  /** Inventory reports received. */
  public final Counter reports =
      counter(
          "drydock_reports_total", "Inventory reports, by whether they were accepted.", "accepted");

  /** Violations the auditor found, each counted once by the process that found it. */
  public final Counter auditViolations =
      counter("drydock_audit_violations_total", "Violations found by the auditor.", "invariant");

  /** What could not be audited, each told once. */
  public final Counter auditGaps =
      counter(
          "drydock_audit_gaps_total",
          "What was not audited while it happened: its events were gone, or the auditor failed.");

  /** How far the auditor is behind. */
  public final Gauge auditLag =
      gauge("drydock_audit_lag_events", "Events the auditor has not looked at yet.");

  /** Whether a store was restored and its hosts are being read back. */
  public final Gauge recovering =
      gauge(
          "drydock_recovery_mode",
          "1 while nothing is granted because PostgreSQL or etcd was restored, else 0.");

  /** Whether etcd had no room for the last write. */
  public final Gauge etcdFull =
      gauge(
          "drydock_etcd_full",
          "1 while etcd takes no writes as its quota is used up (alarm NOSPACE), else 0.");

  /** Holds and grants that did not fit together, each counted once by the process that found it. */
  public final Counter orphans =
      counter(
          "drydock_orphans_total",
          "Holds without a grant, with an ended one, and grants without their hold.",
          "kind");

  /** All of them, at zero: a metric that was never counted is still there to be looked at. */
  public Metrics() {
    for (String kind : List.of("confirm", "open")) {
      for (String verdict : List.of("Grant", "Wait", "Refuse")) {
        checks.initLabelValues(kind, verdict);
      }
    }
    for (JobStep step : JobStep.values()) {
      if (step != JobStep.$UNKNOWN) {
        jobsOpen.initLabelValues(step.name());
        jobsCompleted.initLabelValues(step.name(), "Done");
      }
    }
    for (HostUpgradeState state : HostUpgradeState.values()) {
      if (state != HostUpgradeState.$UNKNOWN) {
        hosts.initLabelValues(state.name());
      }
    }
    for (int invariant = 1; invariant <= 8; invariant++) {
      auditViolations.initLabelValues("I" + invariant);
    }
    for (String kind : List.of("hold", "ended", "grant")) {
      orphans.initLabelValues(kind);
    }
    reports.initLabelValues("true");
    reports.initLabelValues("false");
    httpRequestSeconds.initLabelValues("metrics", "200");
  }

  /** Where all of them are registered. */
  public PrometheusRegistry registry() {
    return registry;
  }

  private Counter counter(String name, String help, String... labels) {
    return Counter.builder().name(name).help(help).labelNames(labels).register(registry);
  }

  private Gauge gauge(String name, String help, String... labels) {
    return Gauge.builder().name(name).help(help).labelNames(labels).register(registry);
  }
}
