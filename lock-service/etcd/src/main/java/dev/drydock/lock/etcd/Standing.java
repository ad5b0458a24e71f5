package dev.drydock.lock.etcd;

import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Note;
import dev.drydock.lock.core.Queue;
import dev.drydock.lock.core.Ticket;
import java.util.List;

/** Where a request for hosts stands. */
public sealed interface Standing {
  /** Ticket id of a session lock or of a waiting ticket, grant id of a hold. */
  String id();

  List<String> hosts();

  String holder();

  /**
   * In the queue; {@code reason} is what the grantor said last, or what the queue alone explains.
   */
  record Waiting(Ticket ticket, Queue.Place place, String reason) implements Standing {
    @Override
    public String id() {
      return ticket.id();
    }

    @Override
    public List<String> hosts() {
      return ticket.hosts();
    }

    @Override
    public String holder() {
      return ticket.holder();
    }
  }

  /**
   * Locked; when lapsed, its holder died and it no longer excludes. One record per host still
   * locked.
   */
  record Held(List<LockRecord> locks, boolean lapsed) implements Standing {
    public Held {
      locks = List.copyOf(locks);
    }

    @Override
    public String id() {
      return locks.getFirst().id();
    }

    @Override
    public List<String> hosts() {
      return locks.stream().map(LockRecord::host).toList();
    }

    @Override
    public String holder() {
      return locks.getFirst().holder();
    }
  }

  /** Refused or ended a short while ago. */
  record Over(String id, Note note) implements Standing {
    @Override
    public List<String> hosts() {
      return note.hosts();
    }

    @Override
    public String holder() {
      return note.holder();
    }
  }
}
