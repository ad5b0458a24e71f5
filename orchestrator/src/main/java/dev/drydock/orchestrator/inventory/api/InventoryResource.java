package dev.drydock.orchestrator.inventory.api;

import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.RestLiActions;
import com.linkedin.restli.server.resources.ResourceContextHolder;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.ReportReceipt;
import dev.drydock.orchestrator.inventory.MarkIssuer;
import dev.drydock.orchestrator.inventory.ReportIntake;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;

/** What sources call: fetch a mark, read, report. */
@RestLiActions(name = "inventory", namespace = "dev.drydock.api")
public final class InventoryResource extends ResourceContextHolder {
  private final MarkIssuer markIssuer;
  private final ReportIntake reports;

  public InventoryResource(MarkIssuer markIssuer, ReportIntake reports) {
    this.markIssuer = markIssuer;
    this.reports = reports;
  }

  /** The next mark of the server's sequence; to be fetched before the source begins to read. */
  @Allow(Role.CONSUMER)
  @Action(name = "mark")
  public long mark(@ActionParam("source") String source) {
    return reports.mark(Caller.of(getContext()), source, markIssuer);
  }

  /** Takes in what a source read under its mark. */
  @Allow(Role.CONSUMER)
  @Action(name = "report")
  public ReportReceipt report(@ActionParam("report") InventoryReport report) {
    return reports.accept(Caller.of(getContext()), report);
  }
}
