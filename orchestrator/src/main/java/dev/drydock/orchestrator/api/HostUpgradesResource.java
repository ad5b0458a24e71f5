package dev.drydock.orchestrator.api;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.HostUpgrade;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;

/** Each host's way through a rollout. */
@RestLiCollection(name = "hostUpgrades", namespace = "dev.drydock.api", keyName = "hostUpgrade")
public final class HostUpgradesResource extends CollectionResourceTemplate<String, HostUpgrade> {
  private final RolloutStore rollouts;

  public HostUpgradesResource(RolloutStore rollouts) {
    this.rollouts = rollouts;
  }

  /** The hosts of a rollout as submitted, in pages of at most 10000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("rollout")
  public CollectionResult<HostUpgrade, NoMetadata> ofRollout(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("rollout") String rollout) {
    if (rollouts.find(InputText.id(rollout, "UNKNOWN_ROLLOUT"), FieldMask.of("id")).isEmpty()) {
      throw ApiException.notFound("UNKNOWN_ROLLOUT", "there is no rollout " + rollout);
    }
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(
        paging, Paging.HOSTS_MAX, window -> rollouts.hosts(rollout, window, fieldMask));
  }
}
