package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.KeyChange;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.CompactedException;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchEvent;
import io.etcd.jetcd.watch.WatchResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One watch on everything under the root, believed until it breaks. jetcd would go on by itself,
 * but may skip what happened between two breaks; so its reader opens another one where it is.
 */
final class RootWatch implements Watch.Listener, AutoCloseable {

  /** Told in order, by one thread at a time. */
  interface Reader {
    void told(RootWatch watch, long revision, List<KeyChange> changes);

    /**
     * It says nothing more.
     *
     * @param compacted whether what it missed is forgotten
     */
    void ended(RootWatch watch, Throwable failure, boolean compacted);
  }

  private final EtcdConnection etcd;
  private final KeyValueDecoder counts;
  private final Reader reader;
  private final Client member;
  private Watch.@Nullable Watcher watcher;

  RootWatch(EtcdConnection etcd, KeyValueDecoder counts, Reader reader) {
    this.etcd = etcd;
    this.counts = counts;
    this.reader = reader;
    member = etcd.member();
  }

  /** Begins with this revision. */
  void open(long from) {
    WatchOption option =
        WatchOption.builder()
            .isPrefix(true)
            .withRevision(from)
            .withRequireLeader(true)
            .withProgressNotify(true)
            .build();
    watcher = member.getWatchClient().watch(KeyLayout.bytes(etcd.config().root()), option, this);
  }

  /** A watch on a member that gives no answers stays silent for long before it breaks. */
  synchronized void askProgress() {
    if (member != etcd.member()) {
      reader.ended(this, new IllegalStateException("its member gives no answers"), false);
    } else if (watcher != null) {
      watcher.requestProgress();
    }
  }

  /** Whoever gave this watch is not asked again before the others were. */
  void leaveMember() {
    etcd.leave(member);
  }

  @Override
  public void onNext(WatchResponse response) {
    List<KeyChange> changes = new ArrayList<>(response.getEvents().size());
    long revision = response.getEvents().isEmpty() ? response.getHeader().getRevision() : 0;
    for (WatchEvent event : response.getEvents()) {
      revision = Math.max(revision, event.getKeyValue().getModRevision());
      KeyValue found = event.getKeyValue();
      boolean put = event.getEventType() == WatchEvent.EventType.PUT;
      (put ? counts.put(found) : counts.deleted(found)).ifPresent(changes::add);
    }
    reader.told(this, revision, changes);
  }

  @Override
  public void onError(Throwable failure) {
    reader.ended(this, failure, failure instanceof CompactedException);
  }

  @Override
  public void onCompleted() {
    reader.ended(this, new IllegalStateException("the watch ended"), false);
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
    }
  }
}
