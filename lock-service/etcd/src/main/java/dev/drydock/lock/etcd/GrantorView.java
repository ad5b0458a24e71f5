package dev.drydock.lock.etcd;

import dev.drydock.lock.core.txn.KeyChange;
import dev.drydock.lock.core.txn.PassScope;
import dev.drydock.lock.core.txn.Replica;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The grantor's own copy of the mirror, which stands still while a pass decides. Followed by the
 * mirror's thread; all else is confined to the grantor's.
 */
final class GrantorView implements EtcdMirror.Follower {
  private record News(boolean restart, long revision, List<KeyChange> changes) {}

  private final Queue<News> inbox = new ConcurrentLinkedQueue<>();
  private final Runnable changed;
  private final PassScope passScope = new PassScope();
  private Replica replica = new Replica();
  private volatile boolean decisive;
  private boolean torn;

  GrantorView(Runnable changed) {
    this.changed = changed;
  }

  @Override
  public void restarted(long revision, List<KeyChange> everything) {
    inbox.add(new News(true, revision, everything));
    decisive = true;
  }

  @Override
  public void changed(long revision, List<KeyChange> changes) {
    inbox.add(new News(false, revision, changes));
    if (changes.stream().anyMatch(keyChange -> PassScope.decisive(keyChange.key()))) {
      decisive = true;
    }
  }

  @Override
  public void afterwards() {
    if (decisive) {
      decisive = false; // Before, so that no later news are overlooked.
      changed.run();
    }
  }

  /** Takes in what the mirror told so far; after a failure everything anew. */
  void forward(EtcdMirror etcdMirror) {
    if (torn) {
      etcdMirror.unfollow(this);
      etcdMirror.follow(this);
    }
    torn = true;
    takeIn();
    torn = false;
  }

  private void takeIn() {
    for (News news = inbox.poll(); news != null; news = inbox.poll()) {
      if (news.restart()) {
        replica = new Replica();
        replica.apply(news.revision(), news.changes());
        passScope.all();
      } else {
        for (KeyChange keyChange : news.changes()) {
          passScope.note(replica, keyChange);
          replica.apply(news.revision(), List.of(keyChange));
        }
        replica.apply(news.revision(), List.of());
      }
    }
  }

  Replica replica() {
    return replica;
  }

  PassScope scope() {
    return passScope;
  }
}
