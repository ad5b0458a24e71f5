package dev.drydock.auditor.api;

import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.AuditReport;
import dev.drydock.auditor.Auditor;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import java.util.Optional;
import java.util.function.Function;

/** What the logs of rollouts say of the invariants; by the id of the rollout. */
@RestLiCollection(name = "audits", namespace = "dev.drydock.api", keyName = "rollout")
public final class AuditsResource extends CollectionResourceTemplate<String, AuditReport> {
  private final Function<String, Optional<Auditor.Report>> audit;

  public AuditsResource(Function<String, Optional<Auditor.Report>> audit) {
    this.audit = audit;
  }

  /** Audits the rollout now; for a large one a minute is not too long. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public AuditReport get(String rollout) {
    Optional<Auditor.Report> report =
        rollout.indexOf('\0') >= 0 ? Optional.empty() : audit.apply(rollout);
    return report
        .map(AuditRecords::report)
        .orElseThrow(
            () ->
                ApiException.notFound(
                    "UNKNOWN_ROLLOUT", "there is no rollout " + rollout.replace('\0', '?')));
  }
}
