package dev.drydock.lock.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.UpdateResponse;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.Lock;
import dev.drydock.api.TicketRequest;
import dev.drydock.lock.etcd.Standing;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Takes;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Page;
import java.util.List;

/**
 * Tickets and locks. Anybody who may start a rollout may ask for hosts; batch holds are seen here
 * and not touched.
 */
@RestLiCollection(name = "locks", namespace = "dev.drydock.api", keyName = "lock")
public final class LocksResource extends CollectionResourceTemplate<String, Lock> {
  private final Tickets tickets;

  LocksResource(Tickets tickets) {
    this.tickets = tickets;
  }

  /** Takes a ticket. A try is answered once it is granted or refused; which of them, a get says. */
  @Allow(Role.OPERATOR)
  @Takes(TicketRequest.class)
  @RestMethod.Create
  @Override
  public CreateResponse create(Lock body) {
    String id = tickets.take(Caller.of(getContext()), new TicketRequest(body.data()));
    return new CreateResponse(id, HttpStatus.S_201_CREATED);
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Lock get(String id) {
    return LockRecords.lock(tickets.find(id));
  }

  /** Every lock, then every ticket in queue order, in pages of at most 10000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Lock, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    return page(tickets.all(), paging);
  }

  /** What holds or awaits one host. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("host")
  public CollectionResult<Lock, NoMetadata> byHost(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("host") String host) {
    return page(
        tickets.all().stream().filter(standing -> standing.hosts().contains(host)).toList(),
        paging);
  }

  /** Leaves the queue or ends a lock of the caller's own. */
  @Allow(Role.OPERATOR)
  @RestMethod.Delete
  public UpdateResponse end(String id, @QueryParam("reason") @Optional("released") String reason) {
    tickets.leave(Caller.of(getContext()), id, reason);
    return new UpdateResponse(HttpStatus.S_204_NO_CONTENT);
  }

  /** Starts the lease of a lock, or the wait of a ticket, anew. */
  @Allow(Role.OPERATOR)
  @Action(name = "renew", resourceLevel = ResourceLevel.ENTITY)
  public void renew() {
    tickets.renew(Caller.of(getContext()), getContext().getPathKeys().getAsString("lock"));
  }

  /** Of what etcd has at this moment; only the page is put into records. */
  private static CollectionResult<Lock, NoMetadata> page(
      List<Standing> standings, PagingContext paging) {
    return Paging.answer(
        paging, Paging.HOSTS_MAX, window -> Page.of(standings, window).map(LockRecords::lock));
  }
}
