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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The answers that tickets of this program wait for, given as the mirror moves on. Thread-safe. */
final class Awaited implements Mirror.Follower {

  /** What becomes of a ticket. */
  sealed interface Answer {
    /** All its hosts are locked, with this token. */
    record Granted(long token) implements Answer {}

    record Refused(String reason) implements Answer {}
  }

  private final Map<String, CompletableFuture<Answer>> answers = new ConcurrentHashMap<>();
  private final EtcdConnection etcd;
  private final ClientSession session;

  Awaited(EtcdConnection etcd, ClientSession session) {
    this.etcd = etcd;
    this.session = session;
  }

  /** The answer to a ticket that is about to enter the queue; fails once the session is over. */
  CompletableFuture<Answer> expect(String ticketId) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    answers.put(ticketId, answer);
    if (!session.valid()) {
      answer.completeExceptionally(session.gone());
    }
    return answer;
  }

  void forget(String ticketId) {
    answers.remove(ticketId);
  }

  /** Nobody gets an answer any more. */
  void fail(RuntimeException why) {
    answers.values().forEach(answer -> answer.completeExceptionally(why));
  }

  @Override
  public void changed(long revision, List<Change> changes) {
    if (!answers.isEmpty()) {
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
    CompletableFuture<Answer> answer = answers.get(id);
    if (answer != null && session instanceof SessionLock.Held(List<LockRecord> locks)) {
      answer.complete(new Answer.Granted(locks.getFirst().token()));
    }
  }

  private void said(String id, Note note) {
    CompletableFuture<Answer> answer = answers.get(id);
    if (answer != null && note.state() != Note.State.WAITING) {
      answer.complete(new Answer.Refused(note.reason()));
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
    answers.forEach(
        (id, answer) -> {
          if (!answer.isDone() && !waiting.contains(id)) {
            Thread.ofVirtual().start(() -> readBack(id, answer));
          }
        });
  }

  private void readBack(String id, CompletableFuture<Answer> answer) {
    try {
      Optional<Note> note = etcd.repeat(() -> etcd.read(new Key.Verdict(id))).map(Stored::value);
      note.ifPresent(said -> said(id, said));
    } catch (RuntimeException failed) {
      answer.completeExceptionally(failed);
    }
  }

  /** Whether the answer came that somebody still waits for. */
  boolean answered(String ticketId) {
    @Nullable CompletableFuture<Answer> answer = answers.get(ticketId);
    return answer != null && answer.isDone();
  }
}
