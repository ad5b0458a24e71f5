package dev.drydock.lock.etcd;

import dev.drydock.lock.core.HostQueue;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Where a request for hosts stands. */
public sealed interface RequestStatus {
  /** Whoever held what is over longer than its note is kept. */
  String UNKNOWN = "";

  /** Ticket id of a session lock or of a waiting ticket, grant id of a hold. */
  String id();

  List<String> hosts();

  String holder();

  /**
   * In the queue; {@code reason} is what the grantor said last, or what the queue alone explains.
   */
  record Waiting(Ticket ticket, HostQueue.Place place, String reason) implements RequestStatus {
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
   * Locked. One record per host still locked.
   *
   * @param expired its lease or term is over: its client has to stop, and cannot renew it
   * @param lapsed its client had the time to hear of that, and it no longer excludes where it was
   *     not broken
   * @param until about when an expired lock lapses; empty where this process does not know
   */
  record Held(List<LockRecord> locks, boolean expired, boolean lapsed, Optional<Instant> until)
      implements RequestStatus {
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

    /** What a client may still give back; where its lock was broken there is a quarantine. */
    public List<LockRecord> ofClient() {
      return of(Kind.SESSION, Kind.FLEETLOCK);
    }

    /** Those of these kinds, in the same order. */
    public List<LockRecord> of(Kind... kinds) {
      List<Kind> sought = List.of(kinds);
      return locks.stream().filter(lock -> sought.contains(lock.kind())).toList();
    }
  }

  /**
   * Refused or ended a short while ago; or released earlier, and what that left behind still
   * counts: then its holder is {@link #UNKNOWN}.
   */
  record Over(String id, TicketNote note) implements RequestStatus {
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
