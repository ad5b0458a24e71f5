package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.HostDecision;
import dev.drydock.orchestrator.store.HostDecisions;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import java.time.Instant;

/**
 * Why hosts were granted, made to wait or refused, now and at any moment since it is written down.
 */
@RestLiCollection(name = "hostDecisions", namespace = "dev.drydock.api", keyName = "decision")
public final class HostDecisionsResource extends CollectionResourceTemplate<String, HostDecision> {
  /** Milliseconds that fit into a timestamp of the database. */
  private static final long LAST = Instant.parse("9999-01-01T00:00:00Z").toEpochMilli();

  private final HostDecisions decisions;

  public HostDecisionsResource(HostDecisions decisions) {
    this.decisions = decisions;
  }

  /**
   * What was decided about one host, newest first, in pages of at most 1000: all of it, or what was
   * decided until the moment {@code until}, in milliseconds since 1970.
   */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("host")
  public CollectionResult<HostDecision, NoMetadata> ofHost(
      @PagingContextParam(defaultCount = 10) PagingContext paging,
      @QueryParam("host") String host,
      @QueryParam("until") @Optional("9223372036854775807") long until) {
    String name = InputText.id(host, "UNKNOWN_HOST");
    Instant then = Instant.ofEpochMilli(Math.clamp(until, 0, LAST));
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(
        paging, Paging.COUNT_MAX, window -> decisions.until(name, then, window, fieldMask));
  }
}
