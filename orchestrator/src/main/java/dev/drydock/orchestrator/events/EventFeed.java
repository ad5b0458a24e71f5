package dev.drydock.orchestrator.events;

import dev.drydock.orchestrator.events.api.EventStream;
import dev.drydock.orchestrator.events.api.EventsResource;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.http.StreamRoute;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.rounds.DutyLoop;
import dev.drydock.platform.store.Database;
import dev.drydock.platform.store.WakeupChannel;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event feed of a process: numbers what is committed, gives it to its readers in that order,
 * and forgets what is old. Several processes may have one over the same database. Safe for use by
 * many threads.
 */
public final class EventFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

  /** Notified by the database whenever events are committed. */
  static final String CHANNEL = "events";

  private static final Duration SWEEP = Duration.ofSeconds(1);

  /** A round costs much the same for one event as for many, and slows as the system gets busy. */
  private static final WakeupChannel.Gathering GATHERING =
      new WakeupChannel.Gathering(10, Duration.ofMillis(250));

  private static final Duration PRUNE_INTERVAL = Duration.ofMinutes(1);
  private static final int PRUNE_AT_ONCE = 2000;

  private final ServerConfig.Events config;
  private final EventRows rows;
  private final Sequencer sequencer;
  private final FeedTail feedTail;
  private final LongPolls longPolls = new LongPolls();
  private final WakeupChannel.Listener listener;
  private final DutyLoop pruning = new DutyLoop("prune-events");
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  /** Begins to number and to read. */
  public EventFeed(Database database, ServerConfig.Events config) {
    this.config = config;
    this.rows = new EventRows(database.jdbi());
    this.sequencer = new Sequencer(database.jdbi());
    this.feedTail = new FeedTail(rows);
    this.listener = new WakeupChannel(database).listen(CHANNEL, SWEEP, GATHERING, this::advance);
    pruning.nowAndEvery(PRUNE_INTERVAL, "forget old events", this::prune);
  }

  private void advance() {
    try {
      sequencer.run();
    } finally {
      // Also what another process has numbered, whatever became of our own turn.
      feedTail.advance();
    }
  }

  private void prune() {
    int pruned = PRUNE_AT_ONCE;
    while (pruned == PRUNE_AT_ONCE) {
      pruned = rows.prune(config.kept(), config.newestKept(), PRUNE_AT_ONCE);
      log.debug("forgot {} events older than {}", pruned, config.kept());
    }
  }

  /**
   * A reader of what comes after the number, or from now on; after 0 is from the oldest that is
   * kept.
   *
   * @throws dev.drydock.platform.http.ApiException 410 if events after the number are gone, or it
   *     was never given
   */
  public FeedReader subscribe(OptionalLong after, FeedFilter filter) {
    return feedTail.subscribe(after, filter);
  }

  /** The number of the newest event. */
  public long head() {
    return feedTail.head();
  }

  /** The number of the last event that is not kept any more. */
  public long forgotten() {
    return feedTail.forgotten();
  }

  /** Calls that wait for an event. */
  public LongPolls polls() {
    return longPolls;
  }

  /** Whether there is such a rollout, ended or not. */
  public boolean hasRollout(String id) {
    return isKnown("rollout " + id, () -> rows.hasRollout(id));
  }

  /** Whether there is such a host, or was. */
  public boolean hasHost(String name) {
    return isKnown("host " + name, () -> rows.hasHost(name));
  }

  /** Neither ever goes away, so that only the first of many readers asks the database. */
  private boolean isKnown(String name, java.util.function.BooleanSupplier look) {
    return known.contains(name) || (look.getAsBoolean() && known.add(name));
  }

  /** The resource events. */
  public Resources resources() {
    return Resources.of(EventsResource.class, () -> new EventsResource(this));
  }

  /** The same as a stream. */
  public StreamRoute stream() {
    return new StreamRoute(
        "/api/stream",
        Set.of(Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER),
        new EventStream(this));
  }

  @Override
  public void close() {
    longPolls.close();
    pruning.close();
    listener.close();
  }
}
