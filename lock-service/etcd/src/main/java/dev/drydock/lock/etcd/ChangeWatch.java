package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.Key;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.options.WatchOption;
import io.etcd.jetcd.watch.WatchResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls a runnable when something under the root changed. Only a wake-up: what is there is read
 * anew each time, so a lost event costs the length of an interval and no more.
 */
final class ChangeWatch implements Watch.Listener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChangeWatch.class);

  private final EtcdConnection etcd;
  private final Runnable changed;
  private volatile boolean broken;
  private Watch.@Nullable Watcher watcher;

  ChangeWatch(EtcdConnection etcd, Runnable changed) {
    this.etcd = etcd;
    this.changed = changed;
  }

  /** Opens the watch if it is not open; called again and again by one thread. */
  void ensureOpen() {
    if (watcher != null && !broken) {
      return;
    }
    close();
    broken = false;
    WatchOption option = WatchOption.builder().isPrefix(true).withRequireLeader(true).build();
    watcher = etcd.watches().watch(Keys.bytes(etcd.config().root()), option, this);
  }

  @Override
  public void onNext(WatchResponse response) {
    Keys keys = etcd.keys();
    boolean wakes =
        response.getEvents().stream()
            .flatMap(event -> keys.read(event.getKeyValue().getKey()).stream())
            .anyMatch(Key::wakes);
    if (wakes) {
      changed.run();
    }
  }

  @Override
  public void onError(Throwable failure) {
    log.info(
        "the watch on {} broke and will be opened again: {}",
        etcd.config().root(),
        failure.toString());
    broken = true;
  }

  @Override
  public void onCompleted() {
    broken = true;
  }

  @Override
  public void close() {
    if (watcher != null) {
      watcher.close();
      watcher = null;
    }
  }
}
