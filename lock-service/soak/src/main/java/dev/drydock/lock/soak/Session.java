package dev.drydock.lock.soak;

import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.LockClient;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The lock client that some threads of a process share, as a program has it: one that is lost or
 * given up is followed by another one. Thread-safe.
 */
final class Session implements AutoCloseable {
  private final EtcdLocks locks;
  private final Duration timeToLive;
  private @Nullable LockClient current;

  Session(EtcdLocks locks, Duration timeToLive) {
    this.locks = locks;
    this.timeToLive = timeToLive;
  }

  /**
   * The one to work with now.
   *
   * @throws dev.drydock.lock.etcd.UnknownOutcomeException when etcd does not answer
   */
  synchronized LockClient client() {
    LockClient client = current;
    if (client == null || !client.valid()) {
      close();
      client = locks.client(timeToLive);
      current = client;
    }
    return client;
  }

  /** Ends it as a program does that ends: all its locks expire, whoever holds them. */
  @Override
  public synchronized void close() {
    LockClient client = current;
    current = null;
    if (client != null) {
      client.close();
    }
  }
}
