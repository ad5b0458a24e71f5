package dev.drydock.platform.store;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups between processes by PostgreSQL's LISTEN and NOTIFY. A notification can be lost with its
 * connection, so a listener also runs on an interval: a lost one costs time, never truth.
 */
public final class WakeupChannel {
  private static final Logger log = LoggerFactory.getLogger(WakeupChannel.class);

  /** Channel on which the grantor listens. */
  public static final String GRANTOR = "grantor";

  private static final long RECONNECT_MILLIS = 1000;
  private static final int WAIT_MILLIS = 250;

  private final Database database;

  public WakeupChannel(Database database) {
    this.database = database;
  }

  /**
   * What comes in a moment after an action is gathered: a lone notification is answered at once,
   * and many cost little more than one.
   *
   * @param times how long, in times of how long the action took
   * @param max the longest it may be
   */
  public record Gathering(int times, Duration max) {
    private static final Gathering SHORT = new Gathering(2, Duration.ofMillis(50));

    private Duration after(Duration action) {
      Duration wanted = action.multipliedBy(times);
      return wanted.compareTo(max) < 0 ? wanted : max;
    }
  }

  /**
   * Wakes all listeners of the channel when, and only when, the transaction of the handle commits.
   */
  public static void notify(Handle handle, String channel) {
    handle
        .createQuery("SELECT pg_notify(:channel, '')")
        .bind("channel", channel)
        .mapTo(String.class)
        .list();
  }

  /**
   * Calls {@code action} at once, after each notification of the channel and at least once per
   * interval, always from the same thread; notifications that arrive meanwhile, or in a moment
   * after it, are one call. What the action throws is logged and does not end the listening. Close
   * the listener to stop; an action under way is waited for.
   */
  public Listener listen(String channel, Duration interval, Runnable action) {
    return listen(channel, interval, Gathering.SHORT, action);
  }

  /** The same, with another moment after the action. */
  public Listener listen(String channel, Duration interval, Gathering gathering, Runnable action) {
    return new Listener(channel, interval, gathering, action);
  }

  /** A thread that listens until it is closed. */
  public final class Listener implements AutoCloseable {
    private final String channel;
    private final Duration interval;
    private final Gathering gathering;
    private final Runnable action;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    private Listener(String channel, Duration interval, Gathering gathering, Runnable action) {
      this.channel = channel;
      this.interval = interval;
      this.gathering = gathering;
      this.action = action;
      this.thread = Thread.ofPlatform().daemon().name("listen-" + channel).start(this::run);
    }

    private void run() {
      while (isOpen()) {
        try (Connection connection = connect()) {
          listenOn(connection);
        } catch (SQLException lost) {
          log.warn(
              "listening to {} interrupted, the interval goes on: {}", channel, lost.getMessage());
          act();
          pause(Math.min(interval.toMillis(), RECONNECT_MILLIS));
        }
      }
    }

    private void listenOn(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("LISTEN " + channel);
      }
      PGConnection listening = connection.unwrap(PGConnection.class);
      while (isOpen()) {
        act();
        long end = System.nanoTime() + interval.toNanos();
        boolean woken = false;
        while (isOpen() && !woken && System.nanoTime() < end) {
          long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
          woken = listening.getNotifications((int) Math.clamp(left, 1, WAIT_MILLIS)).length > 0;
        }
      }
    }

    private void act() {
      long began = System.nanoTime();
      try {
        action.run();
      } catch (RuntimeException failed) {
        log.error("the action of channel {} failed, it will be called again", channel, failed);
      }
      pause(gathering.after(Duration.ofNanos(System.nanoTime() - began)).toMillis());
    }

    private void pause(long millis) {
      try {
        closed.await(millis, TimeUnit.MILLISECONDS);
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        closed.countDown();
      }
    }

    private boolean isOpen() {
      return closed.getCount() > 0;
    }

    @Override
    public void close() {
      closed.countDown();
      try {
        if (!thread.join(Duration.ofSeconds(10))) {
          log.warn("the action of channel {} did not end within 10 s", channel);
        }
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Connection connect() throws SQLException {
    Properties properties = new Properties();
    properties.setProperty("user", database.config().user());
    properties.setProperty("password", database.config().password());
    properties.setProperty("ApplicationName", "drydock-listener");
    properties.setProperty("connectTimeout", "10");
    properties.setProperty("tcpKeepAlive", "true");
    return DriverManager.getConnection(database.config().url(), properties);
  }
}
