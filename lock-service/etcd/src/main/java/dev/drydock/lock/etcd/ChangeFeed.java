package dev.drydock.lock.etcd;

import dev.drydock.lock.core.history.KeyTransition;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.StoredValue;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The changes under the root from one revision on, each revision whole and in order. For one
 * reader; after anything but {@link Heard.Changes} it has nothing more to say and is opened anew.
 */
public final class ChangeFeed implements Watch.Listener, AutoCloseable {
  /** More unread than this, and reading starts again where the reader is: memory stays bounded. */
  private static final int UNREAD_MAX = 10_000;

  private final EtcdConnection etcd;
  private final KeyLayout keyLayout;
  private final Client member;
  private final BlockingQueue<Heard> unread = new LinkedBlockingQueue<>();
  private final Watch.Watcher watcher;

  /** What the log says. */
  public sealed interface Heard {

    /**
     * All changes of a revision, or none: then nothing under the root changed up to it.
     *
     * @param changes of keys that are ours, in the order of their names
     */
    record Changes(long revision, List<KeyTransition<?>> changes) implements Heard {
      public Changes {
        changes = List.copyOf(changes);
      }
    }

    /** The log begins after this revision: what came before is gone. */
    record Forgotten(long revision) implements Heard {}

    /** The connection broke, or the reader is too far behind. */
    record Broken(String reason) implements Heard {}
  }

  ChangeFeed(EtcdConnection etcd, long from) {
    this.etcd = etcd;
    keyLayout = etcd.keys();
    member = etcd.member();
    WatchOption option =
        WatchOption.builder()
            .isPrefix(true)
            .withPrevKV(true)
            .withProgressNotify(true)
            .withRequireLeader(true)
            .withRevision(from)
            .build();
    watcher = member.getWatchClient().watch(KeyLayout.bytes(etcd.config().root()), option, this);
  }

  /** The next thing the log says; empty when it says nothing for so long. */
  public Optional<Heard> next(Duration patience) throws InterruptedException {
    return Optional.ofNullable(unread.poll(patience.toMillis(), TimeUnit.MILLISECONDS));
  }

  @Override
  public void onNext(WatchResponse response) {
    if (unread.size() > UNREAD_MAX) {
      say(new Heard.Broken("the reader is more than " + UNREAD_MAX + " revisions behind"));
      watcher.close();
      return;
    }
    List<WatchEvent> events = response.getEvents();
    if (events.isEmpty()) {
      say(new Heard.Changes(response.getHeader().getRevision(), List.of()));
      return;
    }
    // A revision is never cut in two, but one answer may bring several.
    List<KeyTransition<?>> changes = new ArrayList<>();
    long revision = events.getFirst().getKeyValue().getModRevision();
    for (WatchEvent event : events) {
      if (event.getKeyValue().getModRevision() != revision) {
        say(new Heard.Changes(revision, changes));
        changes = new ArrayList<>();
        revision = event.getKeyValue().getModRevision();
      }
      keyLayout
          .read(event.getKeyValue().getKey())
          .map(key -> change(key, event))
          .ifPresent(changes::add);
    }
    say(new Heard.Changes(revision, changes));
  }

  private static <V> KeyTransition<V> change(Key<V> key, WatchEvent event) {
    KeyValue now = event.getKeyValue();
    Optional<StoredValue<V>> after =
        event.getEventType() == WatchEvent.EventType.PUT
            ? ValueCodec.believed(key, now)
            : Optional.empty();
    Optional<StoredValue<V>> before =
        Optional.ofNullable(event.getPrevKV())
            .filter(there -> there.getModRevision() > 0)
            .flatMap(there -> ValueCodec.believed(key, there));
    return new KeyTransition<>(key, before, after, now.getModRevision());
  }

  @Override
  public void onError(Throwable failure) {
    if (failure instanceof CompactedException gone) {
      say(new Heard.Forgotten(gone.getCompactedRevision() - 1));
    } else {
      etcd.leave(member);
      say(new Heard.Broken(failure.toString()));
    }
  }

  @Override
  public void onCompleted() {
    say(new Heard.Broken("the watch ended"));
  }

  private void say(Heard heard) {
    unread.add(heard);
  }

  @Override
  public void close() {
    watcher.close();
  }
}
