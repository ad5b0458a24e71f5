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
import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.inventory.HostStore;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The hosts of the fleet with their instances and locks. */
@RestLiCollection(name = "hosts", namespace = "dev.drydock.api", keyName = "host")
public final class HostsResource extends CollectionResourceTemplate<String, Host> {
  private final HostStore hostStore;
  private final Locks locks;

  public HostsResource(HostStore hostStore, Locks locks) {
    this.hostStore = hostStore;
    this.locks = locks;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Host get(String name) {
    Host host = found(List.of(name)).get(name);
    if (host == null) {
      throw ApiException.notFound("UNKNOWN_HOST", "there is no host named " + name);
    }
    return host;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.BatchGet
  @Override
  public BatchResult<String, Host> batchGet(Set<String> names) {
    Map<String, Host> found = found(names);
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

  /** All hosts by name, in pages of at most 10000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Host, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(
        paging,
        Paging.HOSTS_MAX,
        window -> {
          Page<Host> page = hostStore.page(window, fieldMask);
          showLocks(fieldMask, page.elements());
          return page;
        });
  }

  private Map<String, Host> found(Collection<String> names) {
    FieldMask fieldMask = Projection.of(getContext());
    Map<String, Host> found = hostStore.find(names, fieldMask);
    showLocks(fieldMask, found.values());
    return found;
  }

  private void showLocks(FieldMask fieldMask, Collection<Host> shown) {
    if (fieldMask.wants("lock")) {
      LockTable table = locks.table();
      shown.forEach(host -> HostLocks.show(table, locks::excludesUntil, host));
    }
  }
}
