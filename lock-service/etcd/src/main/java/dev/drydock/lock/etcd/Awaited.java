package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Note;
import dev.drydock.lock.core.txn.Change;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Stored;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The answers that tickets of this program wait for, given when the mirror moved on. Thread-safe.
 */
final class Awaited implements Mirror.Follower {

  /** What becomes of a ticket. */
  sealed interface Answer {
    /** All its hosts are locked, with this token. */
    record Granted(long token) implements Answer {}

    record Refused(String reason) implements Answer {}
  }

  /** Somebody waits for an answer, which may be known already. */
  private static final class Expected {
    private final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final AtomicBoolean known = new AtomicBoolean();

    boolean answered() {
      return known.get() || answer.isDone();
    }
  }

  /** An answer that is to be given. */
  private record Due(Expected to, Answer answer) {}

  private final Map<String, Expected> expected = new ConcurrentHashMap<>();
  private final Queue<Due> due = new ConcurrentLinkedQueue<>();
  private final EtcdConnection etcd;
  private final ClientSession session;

  Awaited(EtcdConnection etcd, ClientSession session) {
    this.etcd = etcd;
    this.session = session;
  }

  /** The answer to a ticket that is about to enter the queue; fails once the session is over. */
  CompletableFuture<Answer> expect(String ticketId) {
    Expected one = new Expected();
    expected.put(ticketId, one);
    if (!session.valid()) {
      one.answer.completeExceptionally(session.gone());
    }
    return one.answer;
  }

  void forget(String ticketId) {
    expected.remove(ticketId);
  }

  /** Nobody gets an answer any more. */
  void fail(RuntimeException why) {
    expected.values().forEach(one -> one.answer.completeExceptionally(why));
  }

  @Override
  public void afterwards() {
    for (Due one = due.poll(); one != null; one = due.poll()) {
      one.to().answer.complete(one.answer());
    }
  }

  @Override
  public void changed(long revision, List<Change> changes) {
    if (!expected.isEmpty()) {
      changes.forEach(this::changed);
    }
  }

  private void changed(Change change) {
    Stored<?> now = change.now();
    if (now == null && change.key().equals(session.key())) {
      fail(session.gone()); // Before the grantor's word that its client is gone.
    } else if (now != null && change.key() instanceof Key.Session(String id)) {
      locked(id, (SessionLock) now.value());
    } else if (now != null && change.key() instanceof Key.Verdict(String id)) {
      said(id, (Note) now.value());
    }
  }

  private void locked(String id, SessionLock session) {
    if (session instanceof SessionLock.Held(List<LockRecord> locks)) {
      known(id, new Answer.Granted(locks.getFirst().token()));
    }
  }

  private void said(String id, Note note) {
    if (note.state() != Note.State.WAITING) {
      known(id, new Answer.Refused(note.reason()));
    }
  }

  private void known(String id, Answer answer) {
    Expected one = expected.get(id);
    if (one != null && one.known.compareAndSet(false, true)) {
      due.add(new Due(one, answer));
    }
  }

  /** What was missed is in {@code everything}, but for what was said to those who are gone. */
  @Override
  public void restarted(long revision, List<Change> everything) {
    changed(revision, everything);
    Set<String> waiting = new HashSet<>();
    boolean there = false;
    for (Change change : everything) {
      there |= change.key().equals(session.key());
      if (change.key() instanceof Key.Ticket(String id, int index)) {
        waiting.add(id);
      }
    }
    if (!there && session.begunBy(revision)) {
      fail(session.gone());
    }
    expected.forEach(
        (id, one) -> {
          if (!one.answered() && !waiting.contains(id)) {
            Thread.ofVirtual().start(() -> readBack(id, one));
          }
        });
  }

  private void readBack(String id, Expected one) {
    try {
      Optional<Note> note = etcd.repeat(() -> etcd.read(new Key.Verdict(id))).map(Stored::value);
      note.ifPresent(said -> said(id, said));
      afterwards();
    } catch (RuntimeException failed) {
      one.answer.completeExceptionally(failed);
    }
  }

  /** Whether the answer came that somebody still waits for. */
  boolean answered(String ticketId) {
    Expected one = expected.get(ticketId);
    return one != null && one.answered();
  }
}
