package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.KeyChange;
import dev.drydock.lock.core.txn.Replica;
import dev.drydock.lock.core.txn.StoredValue;
import io.etcd.jetcd.kv.TxnResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This process's copy of everything under the root, kept by one watch on the root, revision by
 * revision. Read again as a whole when the watch cannot go on where it broke. Thread-safe.
 */
final class EtcdMirror implements RootWatch.Reader, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EtcdMirror.class);
  private static final Duration PAUSE_MIN = Duration.ofMillis(100);
  private static final Duration PAUSE_MAX = Duration.ofSeconds(1);
  private static final Duration ASKED_EVERY = Duration.ofMillis(20);
  private static final Duration SOON = Duration.ofMillis(2);

  /**
   * Told of every change, in order, by one thread at a time that must not be kept. Revisions that
   * etcd tells of at once are told as the last of them. Nobody can ask the mirror meanwhile: whom
   * the news wake is woken {@link #afterwards}, or all of them would wait in line to ask it.
   */
  interface Follower {
    /** Everything as of a revision: whatever was known before may be outdated. */
    void restarted(long revision, List<KeyChange> everything);

    void changed(long revision, List<KeyChange> changes);

    /** After any of these, by any thread, when the mirror can be asked. May be said in vain. */
    default void afterwards() {}
  }

  private final EtcdConnection etcd;
  private final KeyLayout keyLayout;
  private final KeyValueDecoder counts;
  private final RevisionReader revisions;
  private final List<Follower> followers = new CopyOnWriteArrayList<>();
  private final Thread keeper;

  /** Wakes the keeper, which most of what the mirror is told does not concern. */
  private final Semaphore repairs = new Semaphore(0);

  private final Map<Key<?>, StoredValue<?>> everything = new HashMap<>();
  private Replica replica = new Replica();
  private @Nullable RootWatch current;
  private boolean broken = true;
  private boolean outdated = true;
  private boolean cutOff;
  private boolean closed;
  private boolean heard = true;
  private long opened;
  private Duration pause = Duration.ZERO;

  EtcdMirror(EtcdConnection etcd) {
    this.etcd = etcd;
    keyLayout = etcd.keys();
    counts = new KeyValueDecoder(keyLayout);
    revisions = new RevisionReader(etcd);
    keeper = Thread.ofVirtual().name("mirror").unstarted(this::keep);
  }

  /** Reads everything and keeps it up to date from now on. */
  void start() {
    reopen();
    keeper.start();
  }

  /** Begins with {@link Follower#restarted}, at once, and disturbs nobody else. */
  void follow(Follower follower) {
    synchronized (this) {
      followers.add(follower);
      tell(follower, one -> one.restarted(replica.revision(), everything()));
    }
    tell(follower, Follower::afterwards);
  }

  private List<KeyChange> everything() {
    return everything.values().stream().<KeyChange>map(KeyChange::put).toList();
  }

  /** One follower's failure is no other's, nor the mirror's. */
  private static void tell(Follower follower, Consumer<Follower> news) {
    try {
      news.accept(follower);
    } catch (RuntimeException | Error failed) {
      log.error("{} failed to follow the mirror", follower, failed);
    }
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
    long copied = ask(Replica::revision);
    long now = revisions.now();
    etcdWasAt(now, copied);
    await(now, etcd.config().budget());
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
      RootWatch asked;
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
        while (!toRepair()) {
          repairs.acquire();
        }
        if (closed()) {
          return;
        }
        Thread.sleep(pause());
        reopen();
      } catch (InterruptedException stop) {
        return;
      } catch (RuntimeException | Error failed) {
        failed(failed);
      }
    }
  }

  private synchronized boolean toRepair() {
    return broken && !cutOff || closed;
  }

  private synchronized boolean closed() {
    return closed;
  }

  /**
   * After a watch that worked it is opened again at once, after others later and later; the log has
   * one line of it.
   *
   * @return whether it worked before
   */
  private synchronized boolean failed(Throwable failure) {
    if (heard || System.nanoTime() - opened > PAUSE_MAX.toNanos()) {
      heard = false;
      pause = Duration.ZERO;
      log.warn("the mirror of {} is cut off and tries again", etcd.config().root(), failure);
      return true;
    }
    Duration longer = pause.isZero() ? PAUSE_MIN : pause.multipliedBy(2);
    pause = longer.compareTo(PAUSE_MAX) < 0 ? longer : PAUSE_MAX;
    return false;
  }

  private synchronized Duration pause() {
    return pause;
  }

  /** Watches on from where the copy is, or from everything read anew. */
  private void reopen() {
    RootWatch before;
    boolean anew;
    synchronized (this) {
      before = current;
      current = null;
      opened = System.nanoTime();
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
    } catch (RuntimeException | Error failed) {
      synchronized (this) {
        broken = true;
        outdated |= anew;
      }
      throw failed;
    }
  }

  private void restart() {
    TxnResponse answer = etcd.ranges("snapshot", keyLayout.decisive());
    List<KeyChange> changes = new ArrayList<>();
    answer.getGetResponses().stream()
        .flatMap(part -> part.getKvs().stream())
        .forEach(found -> counts.put(found).ifPresent(changes::add));
    long revision = answer.getHeader().getRevision();
    synchronized (this) {
      replica = new Replica();
      everything.clear();
      bringForward(revision, changes);
      followers.forEach(follower -> tell(follower, one -> one.restarted(revision, changes)));
      notifyAll();
    }
    afterwards();
  }

  private void bringForward(long revision, List<KeyChange> changes) {
    replica.apply(revision, changes);
    for (KeyChange keyChange : changes) {
      StoredValue<?> now = keyChange.now();
      if (now == null) {
        everything.remove(keyChange.key());
      } else if (Replica.keeps(keyChange.key())) {
        everything.put(keyChange.key(), now);
      }
    }
  }

  private synchronized void open() {
    RootWatch next = new RootWatch(etcd, counts, this);
    current = next;
    next.open(replica.revision() + 1);
  }

  /**
   * etcd was at a revision after this copy was at another: if that is less, it was restored. One
   * that came as far again in the meantime is not told from the one before by this.
   */
  synchronized void etcdWasAt(long revision, long copied) {
    if (revision < copied && replica.revision() >= copied) {
      log.error("etcd is at revision {} and was at {}: all is read anew", revision, copied);
      forget();
    }
  }

  /** What is known here is of another etcd: all is read anew, and nothing is answered before. */
  synchronized void forget() {
    replica = new Replica();
    outdated = true;
    broken();
  }

  private void broken() {
    broken = true;
    repairs.release();
    notifyAll();
  }

  /** Hears nothing until {@link #reconnect}, as when the network is cut. For tests. */
  synchronized void cutOff() {
    cutOff = true;
    broken = true;
  }

  synchronized void reconnect() {
    cutOff = false;
    repairs.release();
  }

  @Override
  public void close() {
    RootWatch last;
    synchronized (this) {
      closed = true;
      last = current;
      current = null;
      repairs.release();
    }
    if (last != null) {
      last.close();
    }
  }

  @Override
  public void told(RootWatch watch, long revision, List<KeyChange> changes) {
    takeIn(watch, revision, changes);
    afterwards();
  }

  private void afterwards() {
    followers.forEach(follower -> tell(follower, Follower::afterwards));
  }

  private synchronized void takeIn(RootWatch watch, long revision, List<KeyChange> changes) {
    if (current != watch || broken) {
      return;
    }
    heard = true;
    try {
      bringForward(revision, changes);
      followers.forEach(follower -> tell(follower, one -> one.changed(revision, changes)));
    } catch (RuntimeException | Error failed) {
      log.error("revision {} could not be taken in, and all is read anew", revision, failed);
      outdated = true;
      broken();
    }
    notifyAll();
  }

  @Override
  public synchronized void ended(RootWatch watch, Throwable failure, boolean compacted) {
    if (current != watch || closed || broken) {
      return;
    }
    boolean worked = failed(failure);
    if (worked && !compacted) {
      watch.leaveMember();
    }
    outdated |= compacted;
    broken();
  }
}
