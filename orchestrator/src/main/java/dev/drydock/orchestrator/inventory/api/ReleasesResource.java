package dev.drydock.orchestrator.inventory.api;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Release;
import dev.drydock.orchestrator.inventory.Releases;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;

/** The release catalogue. */
@RestLiCollection(name = "releases", namespace = "dev.drydock.api", keyName = "release")
public final class ReleasesResource extends CollectionResourceTemplate<String, Release> {
  private static final int PAGE_MAX = 1_000;

  private final Releases releases;

  public ReleasesResource(Releases releases) {
    this.releases = releases;
  }

  /**
   * Adds a release under the name it carries; adding the same again is fine, changing one is not.
   */
  @Allow(Role.OPERATOR)
  @RestMethod.Create
  @Override
  public CreateResponse create(Release release) {
    releases.add(Caller.of(getContext()), release);
    return new CreateResponse(release.getName());
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Release get(String name) {
    return releases
        .find(name)
        .orElseThrow(
            () ->
                ApiException.notFound(
                    "UNKNOWN_RELEASE", "release " + name + " is not in the catalogue"));
  }

  /** All releases, newest first, in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Release, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    return new CollectionResult<>(
        releases.page(paging.getStart(), Math.min(paging.getCount(), PAGE_MAX)), releases.count());
  }
}
