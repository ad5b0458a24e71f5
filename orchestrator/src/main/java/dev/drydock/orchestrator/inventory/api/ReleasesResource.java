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
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;

/** The release catalogue. */
@RestLiCollection(name = "releases", namespace = "dev.drydock.api", keyName = "release")
public final class ReleasesResource extends CollectionResourceTemplate<String, Release> {
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
        .find(name, Projection.of(getContext()))
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
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> releases.page(window, fieldMask));
  }
}
