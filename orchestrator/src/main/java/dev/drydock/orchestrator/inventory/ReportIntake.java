package dev.drydock.orchestrator.inventory;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.ReportReceipt;
import dev.drydock.orchestrator.inventory.KnownInventory.KnownHost;
import dev.drydock.orchestrator.inventory.KnownInventory.KnownInstance;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.WakeupChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Takes inventory reports in: each is applied whole or not at all. Safe for use by many threads.
 *
 * <ol>
 *   <li>The report is checked by itself, then against who owns its hosts and instances; all faults
 *       are named at once.
 *   <li>Its mark must have been issued to its source and be higher than the last one: an older view
 *       never overwrites a newer one, and a repeated report changes nothing.
 *   <li>What it names is written; what a full report of the source no longer names is marked as
 *       vanished, never deleted.
 *   <li>The grantor is woken when something may now be up that was not, or placement changed.
 * </ol>
 */
public final class ReportIntake {
  private final Jdbi jdbi;
  private final Metrics metrics;

  ReportIntake(Jdbi jdbi, Metrics metrics) {
    this.jdbi = jdbi;
    this.metrics = metrics;
  }

  /**
   * Applies the report, or says why it is ignored.
   *
   * @throws ApiException 403 if the principal does not speak for the source, 409 if something
   *     belongs to another source, 422 if the report is wrong by itself
   */
  public ReportReceipt accept(Principal principal, InventoryReport report) {
    mayReport(principal, report.getSource());
    List<ErrorDetail> faults = ReportCheck.faults(report);
    if (!faults.isEmpty()) {
      throw ApiException.invalid(
          "INVALID_REPORT", "the report has %d faults".formatted(faults.size()), faults);
    }
    Optional<String> ignored = jdbi.inTransaction(handle -> apply(handle, principal, report));
    metrics.reports.labelValues(Boolean.toString(ignored.isEmpty())).inc();
    return new ReportReceipt().setAccepted(ignored.isEmpty()).setReason(ignored.orElse(""));
  }

  /** The next mark for a source that is about to read. */
  public long mark(Principal principal, String source, MarkIssuer markIssuer) {
    mayReport(principal, source);
    return markIssuer.issue(source);
  }

  /**
   * A consumer speaks for the source it is named after, and for the schedulers whose jobs it does.
   */
  static void mayReport(Principal principal, String source) {
    if (!principal.name().equals(source) && !principal.consumes("scheduler/" + source)) {
      throw ApiException.forbidden(
          "NOT_YOUR_SOURCE",
          "%s may not report for source %s: it needs the topic scheduler/%s"
              .formatted(principal.name(), source.replace('\0', '?'), source.replace('\0', '?')));
    }
  }

  private static Optional<String> apply(
      Handle handle, Principal principal, InventoryReport report) {
    InventoryLock.take(handle);
    String source = report.getSource();
    Optional<MarkIssuer.Issued> mark = MarkIssuer.find(handle, report.getMark());
    if (mark.isEmpty() || !mark.get().source().equals(source)) {
      throw ApiException.invalid(
          "UNKNOWN_MARK",
          "mark %d was not issued to source %s or is too old: fetch one by action mark, then read"
              .formatted(report.getMark(), source),
          List.of());
    }
    Optional<MarkIssuer.Issued> last = Observations.lastMark(handle, source);
    if (last.isPresent() && report.getMark() <= last.get().mark()) {
      return Optional.of(
          "mark %d is not newer than the last accepted one, %d"
              .formatted(report.getMark(), last.get().mark()));
    }
    KnownInventory knownInventory =
        KnownInventory.read(
            handle,
            source,
            report.getHosts().stream().map(HostReport::getName).toList(),
            report.getInstances().stream().map(InstanceReport::getId).toList());
    refuseForeign(report, knownInventory);
    int vanished = Observations.write(handle, mark.get(), report);
    Observations.remember(handle, mark.get());
    ObservationLog.taken(handle, mark.get(), report);
    ReportChanges changes = ReportChanges.of(report, knownInventory, vanished);
    if (changes.placement()) {
      AuditTrail.record(
          handle, principal, "inventory.report", "source/" + source, changes.toJson(report));
    }
    if (changes.any()
        || last.isEmpty()
        || Observations.effectBetween(handle, last.get(), mark.get())) {
      WakeupChannel.notify(handle, "grantor");
    }
    return Optional.empty();
  }

  /**
   * A host or instance has one source; another one may have it only after it vanished from the
   * first.
   */
  private static void refuseForeign(InventoryReport report, KnownInventory knownInventory) {
    List<ErrorDetail> faults = new ArrayList<>();
    String source = report.getSource();
    int index = 0;
    for (HostReport host : report.getHosts()) {
      KnownHost owned = knownInventory.hosts().get(host.getName());
      if (owned != null && !owned.vanished() && !owned.source().equals(source)) {
        String message = "host %s is reported by source %s".formatted(owned.name(), owned.source());
        faults.add(ApiException.detail("hosts[" + index + "].name", message));
      }
      index++;
    }
    Set<String> reported =
        report.getHosts().stream().map(HostReport::getName).collect(Collectors.toSet());
    index = 0;
    for (InstanceReport instance : report.getInstances()) {
      String path = "instances[" + index++ + "]";
      KnownInstance owned = knownInventory.instances().get(instance.getId());
      if (owned != null && !owned.vanished() && !owned.source().equals(source)) {
        String message =
            "instance %s is reported by source %s".formatted(owned.id(), owned.source());
        faults.add(ApiException.detail(path + ".id", message));
      }
      KnownHost host = knownInventory.hosts().get(instance.getHost());
      if (!reported.contains(instance.getHost()) && (host == null || host.vanished())) {
        String message = "source %s never reported host %s".formatted(source, instance.getHost());
        faults.add(ApiException.detail(path + ".host", message));
      }
    }
    if (!faults.isEmpty()) {
      throw new ApiException(
          HttpStatus.CONFLICT,
          "OWNED_BY_OTHER_SOURCE",
          "%d hosts or instances are not of source %s; nothing of the report was applied"
              .formatted(faults.size(), source),
          faults);
    }
  }
}
