package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;

/**
 * The sign that the client of a ticket or session lock is alive. While the ticket waits it lives
 * for as long as the client asked to wait unseen; once granted, by the shorter lease of the lock.
 * The value says which of the two it is and how long the lock's lease is.
 */
final class AliveKey {
  private static final String WAITING = "waiting ";

  private AliveKey() {}

  /** The value while its ticket waits. */
  static ByteSequence waiting(int leaseSeconds) {
    return Keys.bytes(WAITING + leaseSeconds);
  }

  static boolean waits(KeyValue alive) {
    return alive.getValue().toString(UTF_8).startsWith(WAITING);
  }

  /**
   * Counts the lock's lease from now, if nobody did since {@code alive} was read. The lease of the
   * waiting ticket would keep the lock of a client that died in the queue.
   */
  static void countLease(EtcdConnection etcd, KeyValue alive) {
    String seconds = alive.getValue().toString(UTF_8).substring(WAITING.length());
    long lease = etcd.repeat(() -> etcd.grantLease(Duration.ofSeconds(Integer.parseInt(seconds))));
    etcd.repeat(
        () ->
            etcd.commit(
                new Transaction("count lease")
                    .ifModifiedAt(alive.getKey(), alive.getModRevision())
                    .putLeased(alive.getKey(), Keys.bytes(seconds), lease)));
  }
}
