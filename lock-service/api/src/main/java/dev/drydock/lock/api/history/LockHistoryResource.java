package dev.drydock.lock.api.history;

import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.LockHistoryEntry;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;

/**
 * What happened to tickets and locks, newest first, in pages of at most 1000. It is written down
 * moments after it happened.
 */
@RestLiCollection(name = "lockHistory", namespace = "dev.drydock.api", keyName = "entry")
public final class LockHistoryResource
    extends CollectionResourceTemplate<String, LockHistoryEntry> {
  private final HistoryRows rows;

  LockHistoryResource(HistoryRows rows) {
    this.rows = rows;
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<LockHistoryEntry, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> rows.all(window, fieldMask));
  }

  /** What happened on one host, whoever did it. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("host")
  public CollectionResult<LockHistoryEntry, NoMetadata> byHost(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("host") String host) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> rows.ofHost(host, window, fieldMask));
  }

  /** What became of one ticket, lock or hold. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Finder("lock")
  public CollectionResult<LockHistoryEntry, NoMetadata> byLock(
      @PagingContextParam(defaultCount = 100) PagingContext paging,
      @QueryParam("lock") String lock) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> rows.ofLock(lock, window, fieldMask));
  }
}
