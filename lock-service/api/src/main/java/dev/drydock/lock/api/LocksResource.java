package dev.drydock.lock.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.UpdateResponse;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.BreakGlassReason;
import dev.drydock.api.Lock;
import dev.drydock.api.LockState;
import dev.drydock.api.TicketRequest;
import dev.drydock.lock.etcd.RequestStatus;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.RequestRecord;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.Page;
import java.util.List;
import java.util.function.Predicate;

/**
 * Tickets and locks. Anybody who may start a rollout may ask for hosts; batch holds are seen here
 * and not touched.
 */
@RestLiCollection(name = "locks", namespace = "dev.drydock.api", keyName = "lock")
public final class LocksResource extends CollectionResourceTemplate<String, Lock> {
  private final Tickets tickets;
  private final BreakGlass breakGlass;
  private final LockService.Lapses lapses;

  LocksResource(Tickets tickets, BreakGlass breakGlass, LockService.Lapses lapses) {
    this.tickets = tickets;
    this.breakGlass = breakGlass;
    this.lapses = lapses;
  }

  /** Takes a ticket. A try is answered once it is granted or refused; which of them, a get says. */
  @Allow(Role.OPERATOR)
  @RequestRecord(TicketRequest.class)
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
    Lock lock = tickets.detail(id);
    if (lock.getState() == LockState.Lapsed) {
      lapses.at(id).ifPresent(at -> lock.setLapsedAt(at.toEpochMilli()));
    }
    return lock;
  }

  /** Every lock, then every ticket in queue order, in pages of at most 10000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Lock, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    return page(standing -> true, paging);
  }

  /** What holds or awaits one host. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("host")
  public CollectionResult<Lock, NoMetadata> byHost(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("host") String host) {
    return page(standing -> standing.hosts().contains(host), paging);
  }

  /** What one principal holds or awaits. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("holder")
  public CollectionResult<Lock, NoMetadata> byHolder(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("holder") String holder) {
    return page(standing -> standing.holder().equals(holder), paging);
  }

  /** Those that wait, are held or have lapsed. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("state")
  public CollectionResult<Lock, NoMetadata> byState(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("state") LockState state) {
    if (state == LockState.$UNKNOWN) {
      throw ApiException.invalid(
          "INVALID_REQUEST",
          "The finder knows no such state; see details.",
          List.of(ApiException.detail("state", "has to be Waiting, Held or Lapsed")));
    }
    return page(standing -> LockRecords.state(standing) == state, paging);
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

  /**
   * Takes its hosts away from whoever has them. They are quarantined: an administrator ends that
   * once it is known what was done there.
   */
  @Allow(Role.ADMIN)
  @Action(name = "breakGlass", resourceLevel = ResourceLevel.ENTITY)
  public void breakGlass(
      @ActionParam("kind") BreakGlassReason kind, @ActionParam("reason") String reason) {
    String id = getContext().getPathKeys().getAsString("lock");
    breakGlass.apply(Caller.of(getContext()), tickets.find(id), kind, reason);
  }

  /** Of what etcd has at this moment; only the page is put into records. */
  private CollectionResult<Lock, NoMetadata> page(
      Predicate<RequestStatus> wanted, PagingContext paging) {
    List<RequestStatus> standings = tickets.all().stream().filter(wanted).toList();
    return Paging.answer(
        paging, Paging.HOSTS_MAX, window -> Page.of(standings, window).map(LockRecords::lock));
  }
}
