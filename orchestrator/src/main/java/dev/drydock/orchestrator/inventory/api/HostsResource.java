package dev.drydock.orchestrator.inventory.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.BatchResult;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.RestLiServiceException;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Host;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.inventory.HostRow;
import dev.drydock.orchestrator.inventory.Hosts;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The hosts of the fleet with their instances and locks. */
@RestLiCollection(name = "hosts", namespace = "dev.drydock.api", keyName = "host")
public final class HostsResource extends CollectionResourceTemplate<String, Host> {
  private static final int PAGE_MAX = 1_000;

  private final Hosts hosts;
  private final Supplier<LockTable> locks;

  public HostsResource(Hosts hosts, Supplier<LockTable> locks) {
    this.hosts = hosts;
    this.locks = locks;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Host get(String name) {
    HostRow host = hosts.find(List.of(name)).get(name);
    if (host == null) {
      throw ApiException.notFound("UNKNOWN_HOST", "there is no host named " + name);
    }
    return HostRecords.host(host, locks.get());
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.BatchGet
  @Override
  public BatchResult<String, Host> batchGet(Set<String> names) {
    LockTable table = locks.get();
    Map<String, Host> found = new HashMap<>();
    hosts.find(names).forEach((name, host) -> found.put(name, HostRecords.host(host, table)));
    Map<String, RestLiServiceException> missing = new HashMap<>();
    names.stream()
        .filter(name -> !found.containsKey(name))
        .forEach(
            name ->
                missing.put(
                    name,
                    new RestLiServiceException(
                        HttpStatus.S_404_NOT_FOUND, "there is no host named " + name)));
    return new BatchResult<>(found, missing);
  }

  /** All hosts by name, in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Host, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    LockTable table = locks.get();
    Hosts.Page page = hosts.page(paging.getStart(), Math.min(paging.getCount(), PAGE_MAX));
    return new CollectionResult<>(
        page.hosts().stream().map(host -> HostRecords.host(host, table)).toList(), page.total());
  }
}
