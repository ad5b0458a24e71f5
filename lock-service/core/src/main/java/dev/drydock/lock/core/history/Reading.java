package dev.drydock.lock.core.history;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Note;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.history.Entry.What;
import dev.drydock.lock.core.txn.Cause;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the changes of one revision mean. A revision may hold several grants and ends, since they
 * are committed in groups; of one lock, all hosts that fare alike are one entry.
 */
public final class Reading {
  private static final String GRANTOR = "grantor";

  private final long revision;
  private final Map<String, Ended> ended = new HashMap<>();
  private final Map<String, Note> notes = new HashMap<>();
  private final Set<String> changedHosts = new HashSet<>();
  private Optional<Cause> cause = Optional.empty();
  private final Map<List<Object>, Entry> entries = new LinkedHashMap<>();

  private Reading(long revision, List<Transition<?>> changes) {
    this.revision = revision;
    for (Transition<?> change : changes) {
      switch (change.key()) {
        case Key.Lock key -> changedHosts.add(key.host());
        case Key.Session key -> held(change.before()).keySet().forEach(changedHosts::add);
        case Key.Ended key ->
            change.after().ifPresent(now -> ended.put(key.host(), (Ended) now.value()));
        case Key.Verdict key ->
            change.after().ifPresent(now -> notes.put(key.id(), (Note) now.value()));
        case Key.Generation key ->
            change.after().ifPresent(now -> cause = Optional.of((Cause) now.value()));
        default -> {}
      }
    }
  }

  /** The entries of one revision: who entered, who was served, who lapsed, who ended, who left. */
  public static List<Entry> of(long revision, List<Transition<?>> changes) {
    Reading reading = new Reading(revision, changes);
    // Who gives a host up comes before who gets it at the same revision.
    for (Transition<?> change : changes) {
      if (change.key() instanceof Key.Session) {
        reading.ends(change, changes);
      }
    }
    for (Transition<?> change : changes) {
      switch (change.key()) {
        case Key.Lock key -> reading.lock(change);
        case Key.Session key -> reading.granted(change);
        case Key.Ended key -> reading.lapsed(key.host());
        case Key.Brake key -> reading.brake(change);
        default -> {}
      }
    }
    for (Transition<?> change : changes) {
      if (change.key() instanceof Key.Ticket) {
        reading.ticket(change);
      }
    }
    return List.copyOf(reading.entries.values());
  }

  /** The hosts that a session lock is not on any more; one that was quarantined has not ended. */
  private void ends(Transition<?> change, List<Transition<?>> changes) {
    Map<String, LockRecord> lost = held(change.before());
    held(change.after()).keySet().forEach(lost::remove);
    for (Transition<?> other : changes) {
      if (other.key() instanceof Key.Lock(String host) && other.after().isPresent()) {
        lost.remove(host);
      }
    }
    session(change.after()).ifPresent(now -> now.left().forEach(end -> ended.put(end.host(), end)));
    lost.values().forEach(this::ended);
  }

  private void ended(LockRecord lock) {
    Ended end = ended.get(lock.host());
    String by = end == null ? GRANTOR : end.by();
    String reason = end == null ? "its host was seen healthy or is granted anew" : end.reason();
    add(What.ENDED, lock, by, reason);
  }

  private void granted(Transition<?> change) {
    if (change.creates()) {
      held(change.after())
          .values()
          .forEach(lock -> add(What.GRANTED, lock, lock.holder(), lock.reason()));
    }
  }

  private static Optional<SessionLock> session(Optional<? extends Stored<?>> stored) {
    return stored.map(Stored::value).map(SessionLock.class::cast);
  }

  private static Map<String, LockRecord> held(Optional<? extends Stored<?>> stored) {
    Map<String, LockRecord> held = new LinkedHashMap<>();
    session(stored)
        .ifPresent(session -> session.held().forEach(lock -> held.put(lock.host(), lock)));
    return held;
  }

  private void lock(Transition<?> change) {
    Optional<LockRecord> before = change.before().map(Stored::value).map(LockRecord.class::cast);
    Optional<LockRecord> after = change.after().map(Stored::value).map(LockRecord.class::cast);
    if (after.isEmpty()) {
      before.ifPresent(this::ended);
    } else if (change.creates() && after.get().kind() != Kind.QUARANTINE) {
      add(What.GRANTED, after.get(), after.get().holder(), after.get().reason());
    } else {
      progress(before, after.get());
    }
  }

  private void progress(Optional<LockRecord> before, LockRecord now) {
    if (now.kind() == Kind.QUARANTINE) {
      if (before.filter(lock -> lock.kind() == Kind.QUARANTINE).isEmpty()) {
        // Who did it is only in the reason: the record names whose lock it was.
        add(What.QUARANTINED, now, "", now.reason());
      }
    } else if (before.filter(lock -> lock.stage() == now.stage()).isEmpty()) {
      add(What.CHECKED, now, GRANTOR, now.stage().name().toLowerCase(Locale.ROOT));
    }
  }

  /** An end that is noted while the lock stays: its holder is gone, the lock counts as down. */
  private void lapsed(String host) {
    Ended end = ended.get(host);
    if (end != null && !changedHosts.contains(host)) {
      merge(
          new Entry(
              revision,
              What.LAPSED,
              end.lockId(),
              Optional.of(Kind.SESSION),
              List.of(host),
              "",
              end.by(),
              end.reason(),
              0,
              Optional.empty()));
    }
  }

  private void ticket(Transition<?> change) {
    Optional<Ticket> before = change.before().map(Stored::value).map(Ticket.class::cast);
    Optional<Ticket> after = change.after().map(Stored::value).map(Ticket.class::cast);
    if (after.isPresent()) {
      if (change.creates()) {
        add(What.QUEUED, after.get(), after.get().holder(), after.get().reason());
      }
    } else {
      before.filter(ticket -> !served(ticket)).ifPresent(this::left);
    }
  }

  private void left(Ticket ticket) {
    Note note = notes.get(ticket.id());
    add(
        What.LEFT,
        ticket,
        note == null || note.state() == Note.State.REFUSED ? GRANTOR : ticket.holder(),
        note == null ? "its place was given up" : note.reason());
  }

  /** A candidate is granted under another id, on the same hosts. */
  private boolean served(Ticket ticket) {
    return entries.values().stream()
        .anyMatch(
            entry ->
                entry.what() == What.GRANTED
                    && (entry.id().equals(ticket.id())
                        || (entry.rollout().isPresent()
                            && entry.rollout().equals(ticket.rollout())
                            && Set.copyOf(entry.hosts()).equals(Set.copyOf(ticket.hosts())))));
  }

  private void add(What what, LockRecord lock, String by, String reason) {
    merge(
        new Entry(
            revision,
            what,
            lock.id(),
            Optional.of(lock.kind()),
            List.of(lock.host()),
            lock.holder(),
            by,
            reason,
            lock.token(),
            lock.rollout(),
            lock.grantedAt()));
  }

  private void add(What what, Ticket ticket, String by, String reason) {
    merge(
        new Entry(
            revision,
            what,
            ticket.id(),
            Optional.of(kind(ticket.mode())),
            ticket.hosts(),
            ticket.holder(),
            by,
            reason,
            0,
            ticket.rollout()));
  }

  private static Kind kind(Ticket.Mode mode) {
    return switch (mode) {
      case TRY, WAIT -> Kind.SESSION;
      case CANDIDATE -> Kind.BATCH;
      case FLEETLOCK -> Kind.FLEETLOCK;
    };
  }

  private void brake(Transition<?> change) {
    Optional<Brake> pulled = change.after().map(Stored::value).map(Brake.class::cast);
    if (pulled.isPresent() && change.creates()) {
      brake(What.FROZEN, pulled.get().by(), pulled.get().reason());
    } else if (pulled.isEmpty()) {
      brake(What.UNFROZEN, cause.map(Cause::by).orElse(""), cause.map(Cause::reason).orElse(""));
    }
  }

  private void brake(What what, String by, String reason) {
    merge(
        new Entry(
            revision, what, "", Optional.empty(), List.of(), "", by, reason, 0, Optional.empty()));
  }

  private void merge(Entry entry) {
    entries.merge(
        List.of(entry.what(), entry.id(), entry.by(), entry.reason()),
        entry,
        (one, other) -> {
          List<String> hosts = new ArrayList<>(one.hosts());
          hosts.addAll(other.hosts());
          return new Entry(
              one.revision(),
              one.what(),
              one.id(),
              one.kind(),
              hosts,
              one.holder(),
              one.by(),
              one.reason(),
              one.token(),
              one.rollout(),
              one.grantedAt());
        });
  }
}
