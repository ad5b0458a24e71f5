package dev.drydock.platform.http.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Release;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Releases under another name, kept in the map its maker gives it. */
@RestLiCollection(name = "berths", namespace = "dev.drydock.test", keyName = "name")
public final class BerthsResource extends CollectionResourceTemplate<String, Release> {
  private final Map<String, Release> berths;

  public BerthsResource(Map<String, Release> berths) {
    this.berths = berths;
  }

  @Override
  @Allow(Role.VIEWER)
  public @Nullable Release get(String name) {
    return berths.get(name);
  }

  @Override
  @Allow(Role.VIEWER)
  public Map<String, Release> batchGet(Set<String> names) {
    return names.stream()
        .filter(berths::containsKey)
        .collect(Collectors.toMap(name -> name, berths::get));
  }

  @Override
  @Allow(Role.OPERATOR)
  public CreateResponse create(Release release) {
    berths.put(release.getName(), release);
    return new CreateResponse(release.getName(), HttpStatus.S_201_CREATED);
  }

  /** Has no {@link Allow}: nobody may call it. */
  @Override
  public List<Release> getAll(@PagingContextParam PagingContext paging) {
    return List.copyOf(berths.values());
  }

  @Finder("names")
  @Allow(Role.VIEWER)
  public List<Release> byNames(
      @PagingContextParam PagingContext paging, @QueryParam("names") String[] names) {
    return Arrays.stream(names).filter(berths::containsKey).map(berths::get).toList();
  }

  @Action(name = "moor")
  @Allow(Role.OPERATOR)
  public String moor(
      @ActionParam("release") Release release,
      @ActionParam("count") int count,
      @ActionParam("note") @Optional("") String note) {
    return Caller.of(getContext()).name() + " moors " + count + " " + release.getName() + note;
  }

  @Action(name = "refuse")
  @Allow(Role.OPERATOR)
  public String refuse() {
    throw ApiException.invalid(
        "BERTHS_TAKEN",
        "Two berths are taken.",
        List.of(
            ApiException.detail("hosts[1]", 3, "h02 is taken"),
            ApiException.detail("hosts[4]", 7, "h09 is taken")));
  }

  @Action(name = "sink")
  @Allow(Role.OPERATOR)
  public String sink() {
    throw new IllegalStateException("secret of the hull");
  }

  @Action(name = "thread")
  @Allow(Role.OPERATOR)
  public boolean virtual() {
    return Thread.currentThread().isVirtual();
  }
}
