package dev.drydock.lock.api.history;

import dev.drydock.lock.core.history.HistoryEntry;
import dev.drydock.lock.core.history.KeyTransition;
import dev.drydock.lock.core.history.RevisionInterpreter;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.etcd.ChangeFeed;
import dev.drydock.lock.etcd.ChangeFeed.Heard;
import dev.drydock.lock.etcd.EtcdLog;
import dev.drydock.lock.etcd.EtcdLog.Epoch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes etcd's log down, from the bookmark on, and lets etcd forget what is written. One process
 * does so at a time; should two, each change is written once all the same. No failure ends it: what
 * could not be written is read again.
 */
final class HistoryTailer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HistoryTailer.class);
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final Duration STOP_MAX = Duration.ofSeconds(5);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int AT_ONCE = 500;

  /**
   * How much etcd keeps.
   *
   * @param written revisions kept although they are written, for readers a little behind
   * @param unwritten revisions kept while they are not: beyond, they are lost, and a gap is
   *     recorded; etcd would be full otherwise, and grant nothing any more
   * @param every how often it is seen to
   */
  record Kept(long written, long unwritten, Duration every) {
    static final Kept DEFAULT = new Kept(10_000, 500_000, Duration.ofMinutes(1));
  }

  private final EtcdLog etcd;
  private final HistoryRows rows;
  private final BooleanSupplier wanted;
  private final Kept kept;
  private final Thread thread;
  private volatile boolean open = true;
  private long compacted = System.nanoTime();

  /**
   * Begins.
   *
   * @param wanted whether this process is the one that writes
   */
  static HistoryTailer start(EtcdLog etcd, HistoryRows rows, BooleanSupplier wanted, Kept kept) {
    HistoryTailer tailer = new HistoryTailer(etcd, rows, wanted, kept);
    tailer.thread.start();
    return tailer;
  }

  private HistoryTailer(EtcdLog etcd, HistoryRows rows, BooleanSupplier wanted, Kept kept) {
    this.etcd = etcd;
    this.rows = rows;
    this.wanted = wanted;
    this.kept = kept;
    thread = Thread.ofPlatform().name("lock-history").unstarted(this::run);
  }

  private void run() {
    while (open) {
      try {
        if (wanted.getAsBoolean()) {
          follow();
        } else {
          Thread.sleep(PATIENCE);
        }
      } catch (InterruptedException stop) {
        return;
      } catch (RuntimeException | Error failed) {
        log.error("the lock history could not be written and is read again", failed);
        rest();
      }
    }
  }

  /** Until somebody else writes, another epoch began, or the log has to be opened anew. */
  private void follow() throws InterruptedException {
    Epoch followed = etcd.epoch();
    long epoch = followed.number();
    long written = rows.bookmark(epoch, followed.began());
    try (ChangeFeed feed = etcd.after(written)) {
      boolean over = false;
      while (open && wanted.getAsBoolean() && !over) {
        Optional<Heard> heard = feed.next(PATIENCE);
        List<HistoryEntry> entries = new ArrayList<>();
        long upTo = written;
        for (int i = 0; heard.isPresent() && !over && i < AT_ONCE; i++) {
          switch (heard.get()) {
            case Heard.Changes(long revision, var changes) -> {
              entries.addAll(RevisionInterpreter.of(revision, changes));
              upTo = Math.max(upTo, revision);
              over = changes.stream().anyMatch(change -> begins(change, epoch));
            }
            case Heard.Forgotten(long revision) -> {
              rows.append(
                  epoch, written, revision, List.of(HistoryEntry.gap(written + 1, revision)));
              log.error(
                  "etcd forgot revisions {} to {} before they were written down",
                  written + 1,
                  revision);
              return;
            }
            case Heard.Broken(String reason) -> {
              log.info("etcd's log is opened anew: {}", reason);
              return;
            }
          }
          heard = over ? heard : feed.next(Duration.ZERO);
        }
        if (beganBefore(written, epoch)) {
          return;
        }
        if (upTo > written && !rows.append(epoch, written, upTo, entries)) {
          return; // Somebody else wrote meanwhile.
        }
        written = upTo;
        forget(written);
      }
    }
  }

  /** Whether it begins another epoch than this one. */
  private static boolean begins(KeyTransition<?> change, long epoch) {
    return change.key() instanceof Key.Epoch
        && change.after().filter(now -> !now.value().equals(epoch)).isPresent();
  }

  /**
   * Whether another epoch began at a revision that the feed came past already, and does not tell
   * any more: etcd was put back, and counts anew from there.
   */
  private boolean beganBefore(long written, long epoch) {
    Epoch now = etcd.epoch();
    return now.number() != epoch && now.began() <= written;
  }

  /** Nothing is written for now; etcd must not grow without a bound meanwhile. */
  private void rest() {
    try {
      Thread.sleep(PAUSE);
      forget(0);
    } catch (InterruptedException stop) {
      open = false;
    } catch (RuntimeException | Error failed) {
      log.error("etcd's log could not be made shorter", failed);
    }
  }

  private void forget(long written) {
    if (System.nanoTime() - compacted < kept.every().toNanos()) {
      return;
    }
    compacted = System.nanoTime();
    long upTo = Math.max(written - kept.written(), etcd.head() - kept.unwritten());
    if (upTo > 0) {
      etcd.compact(upTo);
    }
  }

  /** Ends the writing; what is read and not written is read again by whoever comes next. */
  @Override
  public void close() {
    open = false;
    try {
      if (!thread.join(STOP_MAX)) {
        thread.interrupt();
      }
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
