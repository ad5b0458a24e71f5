package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.Notification;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.subscriptions.SubscriptionRows.Row;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Sql;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A reader's way through its subscription: what comes next is always what follows the acknowledged
 * cursor, so that a reader which dies keeps nothing and misses nothing. Safe for use by many
 * threads.
 *
 * <p>Properties: an event that is wanted is given again until it is acknowledged, and not any more
 * after that; the cursor goes back only by {@link #replay}; events that were forgotten before they
 * were acknowledged are never passed over in silence.
 */
public final class SubscriptionReader {
  private final Transactor transactor;
  private final Jdbi jdbi;
  private final EventFeed feed;

  SubscriptionReader(Jdbi jdbi, EventFeed feed) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.feed = feed;
  }

  /**
   * What comes next.
   *
   * @param position to be acknowledged once all of it is done with: also past events that the
   *     subscription does not want
   */
  public record Next(List<Notification> notifications, long position) {
    public Next {
      notifications = List.copyOf(notifications);
    }
  }

  /**
   * What follows the acknowledged cursor, as soon as there is something, or nothing when the wait
   * is over.
   *
   * @throws ApiException 404; 410 with what was lost, if wanted events may be among what is
   *     forgotten
   */
  public CompletableFuture<Next> pending(Principal principal, String id, int count, Duration wait) {
    SubscriptionId read = Subscriptions.id(principal, id);
    // Before what was lost is read: what is forgotten after that is not passed over.
    long forgotten = feed.forgotten();
    Row row =
        jdbi.withHandle(handle -> SubscriptionRows.find(handle, read))
            .orElseThrow(() -> Subscriptions.unknown(id));
    if (row.lost() > 0) {
      throw lost(row);
    }
    // What was forgotten by then was not of its team, or it would be lost.
    long position = Math.max(row.acknowledged(), forgotten);
    return feed.polls()
        .poll(feed.subscribe(OptionalLong.of(position), row.interest().filter()), count, wait)
        .thenApply(
            page ->
                new Next(
                    NotificationBuilder.of(jdbi, row.interest(), page.events()), page.position()));
  }

  private ApiException lost(Row row) {
    return new ApiException(
        HttpStatus.GONE,
        "CursorGone",
        "%d events of hosts of team %s from %s to %s were forgotten before subscription %s acknowledged them: it stands at cursor %d. Acknowledge cursor %d to go on behind them"
            .formatted(
                row.lost(),
                row.id().team(),
                row.lostFrom().map(Instant::toString).orElse("?"),
                row.lostTo().map(Instant::toString).orElse("?"),
                row.id(),
                row.acknowledged(),
                row.lostUpTo()),
        List.of());
  }

  /**
   * Its reader is done with everything up to the cursor. The same again is no error: the answer may
   * have been lost.
   *
   * @return the cursor that is acknowledged now
   * @throws ApiException 404; 409 for a cursor behind it, or one nobody was ever given, with where
   *     it stands
   */
  public long acknowledge(Principal principal, String id, long cursor) {
    SubscriptionId read = Subscriptions.id(principal, id);
    return transactor.call(
        handle -> {
          Row row = locked(handle, read, id);
          if (cursor < row.acknowledged()) {
            throw ApiException.conflict(
                "CURSOR_BEHIND",
                "cursor %d is behind: subscription %s is acknowledged up to %d; to go back on purpose, replay"
                    .formatted(cursor, read, row.acknowledged()));
          }
          requireGiven(cursor, row);
          SubscriptionRows.move(handle, read, cursor);
          return cursor;
        });
  }

  /**
   * Gives again what comes after the cursor. Audited.
   *
   * @return the cursor that is acknowledged now
   * @throws ApiException 404; 409 for a cursor ahead; 410 for one whose events are not kept
   */
  public long replay(Principal principal, String id, long cursor, String reason) {
    SubscriptionId read = Subscriptions.id(principal, id);
    return transactor.call(
        handle -> replay(handle, principal, locked(handle, read, id), cursor, reason));
  }

  /** The same for everything that happened since then. */
  public long replaySince(Principal principal, String id, Instant since, String reason) {
    SubscriptionId read = Subscriptions.id(principal, id);
    return transactor.call(
        handle -> {
          Row row = locked(handle, read, id);
          long before = Math.min(row.acknowledged(), lastBefore(handle, since));
          return replay(handle, principal, row, before, reason);
        });
  }

  private long replay(Handle handle, Principal principal, Row row, long cursor, String reason) {
    long forgotten = feed.forgotten();
    long target = cursor == 0 ? forgotten : cursor;
    requireGiven(target, row);
    if (target > row.acknowledged() && row.lost() == 0 && cursor != 0) {
      throw ApiException.conflict(
          "CURSOR_AHEAD",
          "cursor %d is ahead: subscription %s is acknowledged up to %d; to go forward, acknowledge"
              .formatted(cursor, row.id(), row.acknowledged()));
    }
    if (target < forgotten) {
      throw new ApiException(
          HttpStatus.GONE,
          "CursorGone",
          "events after cursor %d are not kept any more; the oldest cursor is %d, subscription %s is acknowledged up to %d"
              .formatted(cursor, forgotten, row.id(), row.acknowledged()),
          List.of());
    }
    SubscriptionRows.move(handle, row.id(), target);
    Subscriptions.audit(
        handle,
        principal,
        "replay",
        row.id(),
        Map.of("from", row.acknowledged(), "to", target, "reason", reason));
    return target;
  }

  private static Row locked(Handle handle, SubscriptionId read, String sent) {
    return SubscriptionRows.lock(handle, read).orElseThrow(() -> Subscriptions.unknown(sent));
  }

  private void requireGiven(long cursor, Row row) {
    long head = feed.head();
    if (cursor > head) {
      throw ApiException.conflict(
          "UNKNOWN_CURSOR",
          "cursor %d was never given: the newest is %d, subscription %s is acknowledged up to %d"
              .formatted(cursor, head, row.id(), row.acknowledged()));
    }
  }

  /** Times of events are not in their order: the first of all that are late enough decides. */
  private static long lastBefore(Handle handle, Instant since) {
    return Sql.one(
        handle,
        Long.class,
        """
        SELECT COALESCE((SELECT min(number) FROM events WHERE at >= :since),
                        (SELECT max(number) + 1 FROM events), 1) - 1
        """,
        Map.of("since", since));
  }
}
