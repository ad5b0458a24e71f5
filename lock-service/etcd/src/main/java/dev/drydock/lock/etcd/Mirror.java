package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Change;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.Stored;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.kv.TxnResponse;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's copy of everything under the root, kept by one watch on the root, revision by
 * revision. Read again as a whole when the watch cannot go on where it broke. Thread-safe.
 */
final class Mirror implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Mirror.class);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration ASKED_EVERY = Duration.ofMillis(20);
  private static final Duration SOON = Duration.ofMillis(2);

  /** Told of every revision, in order, by one thread at a time that must not be kept. */
  interface Follower {
    /** Everything as of a revision: whatever was known before may be outdated. */
    void restarted(long revision, List<Change> everything);

    void changed(long revision, List<Change> changes);
  }

  private final EtcdConnection etcd;
  private final Keys keys;
  private final RevisionReader revisions;
  private final List<Follower> followers = new CopyOnWriteArrayList<>();
  private final Thread keeper;
  private Replica replica = new Replica();
  private @Nullable Incarnation current;
  private boolean broken = true;
  private boolean outdated = true;
  private boolean cutOff;
  private boolean closed;

  Mirror(EtcdConnection etcd) {
    this.etcd = etcd;
    keys = etcd.keys();
    revisions = new RevisionReader(etcd);
    keeper = Thread.ofVirtual().name("mirror").unstarted(this::keep);
  }

  /** Reads everything and keeps it up to date from now on. */
  void start() {
    reopen();
    keeper.start();
  }

  /** Begins with {@link Follower#restarted} before long. */
  synchronized void follow(Follower follower) {
    followers.add(follower);
    broken = true;
    outdated = true;
    notifyAll();
  }

  void unfollow(Follower follower) {
    followers.remove(follower);
  }

  /** What {@code question} finds in the copy; it must neither keep nor change it. */
  synchronized <T> T ask(Function<Replica, T> question) {
    return question.apply(replica);
  }

  /** Brings the copy to what etcd has now (linearizable), then asks. */
  <T> T askNow(Function<Replica, T> question) {
    await(revisions.now(), etcd.config().budget());
    return ask(question);
  }

  /**
   * Waits until the copy is at {@code revision} or later.
   *
   * @throws UnknownOutcomeException when it does not get there in time
   */
  void await(long revision, Duration longest) {
    long end = System.nanoTime() + longest.toNanos();
    Duration wait = SOON;
    while (true) {
      Incarnation asked;
      synchronized (this) {
        if (replica.revision() < revision) {
          waitFor(wait);
        }
        if (replica.revision() >= revision) {
          return;
        }
        asked = current;
      }
      if (System.nanoTime() - end > 0) {
        throw new UnknownOutcomeException("the mirror did not reach revision " + revision, null);
      }
      // What changed elsewhere in etcd is never told of: the watch is asked how far it is.
      if (asked != null) {
        asked.askProgress();
      }
      wait = ASKED_EVERY;
    }
  }

  private void waitFor(Duration time) {
    try {
      wait(Math.max(1, time.toMillis()));
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new UnknownOutcomeException("interrupted while waiting for the mirror", stop);
    }
  }

  private void keep() {
    while (true) {
      try {
        synchronized (this) {
          while ((!broken || cutOff) && !closed) {
            wait();
          }
          if (closed) {
            return;
          }
        }
        reopen();
      } catch (InterruptedException stop) {
        return;
      } catch (RuntimeException failed) {
        log.warn("the mirror could not be brought up to date, and is tried again", failed);
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  /** Watches on from where the copy is, or from everything read anew. */
  private void reopen() {
    Incarnation before;
    boolean anew;
    synchronized (this) {
      before = current;
      current = null;
      anew = outdated;
      broken = false;
      outdated = false;
    }
    if (before != null) {
      before.close();
    }
    try {
      if (anew) {
        restart();
      }
      open();
    } catch (RuntimeException failed) {
      synchronized (this) {
        broken = true;
        outdated |= anew;
      }
      throw failed;
    }
  }

  private void restart() {
    TxnResponse answer = etcd.ranges("snapshot", keys.decisive());
    List<Change> everything = new ArrayList<>();
    answer.getGetResponses().stream()
        .flatMap(part -> part.getKvs().stream())
        .forEach(found -> put(found, everything));
    long revision = answer.getHeader().getRevision();
    synchronized (this) {
      replica = new Replica();
      replica.apply(revision, everything);
      followers.forEach(follower -> follower.restarted(revision, everything));
      notifyAll();
    }
  }

  private synchronized void open() {
    Incarnation next = new Incarnation();
    current = next;
    next.open(replica.revision() + 1);
  }

  private void put(KeyValue found, List<Change> into) {
    keys.read(found.getKey()).ifPresent(key -> into.add(Change.put(Values.stored(key, found))));
  }

  private @Nullable Change change(WatchEvent event) {
    KeyValue found = event.getKeyValue();
    Key<?> key = keys.read(found.getKey()).orElse(null);
    if (key == null) {
      return null;
    }
    Stored<?> now =
        event.getEventType() == WatchEvent.EventType.PUT ? Values.stored(key, found) : null;
    return new Change(key, now);
  }

  /** Hears nothing until {@link #reconnect}, as when the network is cut. For tests. */
  synchronized void cutOff() {
    cutOff = true;
    broken = true;
  }

  synchronized void reconnect() {
    cutOff = false;
    notifyAll();
  }

  @Override
  public void close() {
    Incarnation last;
    synchronized (this) {
      closed = true;
      last = current;
      current = null;
      notifyAll();
    }
    if (last != null) {
      last.close();
    }
  }

  /**
   * One watch, believed until it breaks. jetcd would go on by itself, but may skip what happened
   * between two breaks; so another one is opened where the copy is.
   */
  private final class Incarnation implements Watch.Listener {
    private final Client member = etcd.member();
    private Watch.@Nullable Watcher watcher;

    void open(long from) {
      WatchOption option =
          WatchOption.builder()
              .isPrefix(true)
              .withRevision(from)
              .withRequireLeader(true)
              .withProgressNotify(true)
              .build();
      watcher = member.getWatchClient().watch(Keys.bytes(etcd.config().root()), option, this);
    }

    /** A watch on a member that gives no answers stays silent for long before it breaks. */
    synchronized void askProgress() {
      if (member != etcd.member()) {
        end(false);
      } else if (watcher != null) {
        watcher.requestProgress();
      }
    }

    @Override
    public void onNext(WatchResponse response) {
      List<Change> changes = new ArrayList<>(response.getEvents().size());
      long revision = response.getEvents().isEmpty() ? response.getHeader().getRevision() : 0;
      for (WatchEvent event : response.getEvents()) {
        revision = Math.max(revision, event.getKeyValue().getModRevision());
        Change change = change(event);
        if (change != null) {
          changes.add(change);
        }
      }
      forward(revision, changes);
    }

    private void forward(long revision, List<Change> changes) {
      synchronized (Mirror.this) {
        if (current != this || broken) {
          return;
        }
        replica.apply(revision, changes);
        for (Follower follower : followers) {
          follower.changed(revision, changes);
        }
        Mirror.this.notifyAll();
      }
    }

    @Override
    public void onError(Throwable failure) {
      log.info(
          "the watch on {} broke and is opened again: {}",
          etcd.config().root(),
          failure.toString());
      etcd.leave(member);
      end(failure instanceof io.etcd.jetcd.common.exception.CompactedException);
    }

    @Override
    public void onCompleted() {
      end(false);
    }

    private void end(boolean compacted) {
      synchronized (Mirror.this) {
        if (current == this && !closed) {
          broken = true;
          outdated |= compacted;
          Mirror.this.notifyAll();
        }
      }
    }

    void close() {
      if (watcher != null) {
        watcher.close();
      }
    }
  }
}
