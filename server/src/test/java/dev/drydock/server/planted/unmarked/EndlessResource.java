package dev.drydock.server.planted.unmarked;

import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Release;
import java.util.List;

/** A resource with a finder that answers all there is. */
@RestLiCollection(name = "endless", namespace = "dev.drydock.server.planted")
public final class EndlessResource extends CollectionResourceTemplate<String, Release> {
  @Finder("everything")
  public List<Release> everything() {
    return List.of();
  }
}
