package dev.drydock.lock.core.history;

import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.history.HistoryEntry.What;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.Key;
import dev.drydock.lock.core.txn.SessionLock;
import dev.drydock.lock.core.txn.StoredValue;
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
public final class RevisionInterpreter {
  private static final String GRANTOR = "grantor";

  private final long revision;
  private final Map<String, EndedLock> ended = new HashMap<>();
  private final Map<String, TicketNote> notes = new HashMap<>();
  private final Set<String> changedHosts = new HashSet<>();
  private Optional<GenerationCause> cause = Optional.empty();
  private final Map<List<Object>, HistoryEntry> entries = new LinkedHashMap<>();

  private RevisionInterpreter(long revision, List<KeyTransition<?>> changes) {
    this.revision = revision;
    for (KeyTransition<?> change : changes) {
      switch (change.key()) {
        case Key.Lock key -> changedHosts.add(key.host());
        case Key.Session key -> held(change.before()).keySet().forEach(changedHosts::add);
        case Key.Ended key ->
            change.after().ifPresent(now -> ended.put(key.host(), (EndedLock) now.value()));
        case Key.Verdict key ->
            change.after().ifPresent(now -> notes.put(key.id(), (TicketNote) now.value()));
        case Key.Generation key ->
            change.after().ifPresent(now -> cause = Optional.of((GenerationCause) now.value()));
        default -> {}
      }
    }
  }

  /** The entries of one revision: who entered, who was served, who lapsed, who ended, who left. */
  public static List<HistoryEntry> of(long revision, List<KeyTransition<?>> changes) {
    RevisionInterpreter revisionInterpreter = new RevisionInterpreter(revision, changes);
    // Who gives a host up comes before who gets it at the same revision.
    for (KeyTransition<?> change : changes) {
      if (change.key() instanceof Key.Session) {
        revisionInterpreter.ends(change, changes);
      }
    }
    for (KeyTransition<?> change : changes) {
      switch (change.key()) {
        case Key.Lock key -> revisionInterpreter.lock(change);
        case Key.Session key -> revisionInterpreter.granted(change);
        case Key.Ended key -> revisionInterpreter.lapsed(key.host());
        case Key.Brake key -> revisionInterpreter.brake(change);
        default -> {}
      }
    }
    for (KeyTransition<?> change : changes) {
      if (change.key() instanceof Key.Ticket) {
        revisionInterpreter.ticket(change);
      }
    }
    return List.copyOf(revisionInterpreter.entries.values());
  }

  /** The hosts that a session lock is not on any more; one that was quarantined has not ended. */
  private void ends(KeyTransition<?> change, List<KeyTransition<?>> changes) {
    Map<String, LockRecord> lost = held(change.before());
    held(change.after()).keySet().forEach(lost::remove);
    for (KeyTransition<?> other : changes) {
      if (other.key() instanceof Key.Lock(String host) && other.after().isPresent()) {
        lost.remove(host);
      }
    }
    session(change.after()).ifPresent(now -> now.left().forEach(end -> ended.put(end.host(), end)));
    lost.values().forEach(this::ended);
  }

  private void ended(LockRecord lock) {
    EndedLock end = ended.get(lock.host());
    String by = end == null ? GRANTOR : end.by();
    String reason = end == null ? "its host was seen healthy or is granted anew" : end.reason();
    add(What.ENDED, lock, by, reason);
  }

  private void granted(KeyTransition<?> change) {
    if (change.creates()) {
      held(change.after())
          .values()
          .forEach(lock -> add(What.GRANTED, lock, lock.holder(), lock.reason()));
    }
  }

  private static Optional<SessionLock> session(Optional<? extends StoredValue<?>> stored) {
    return stored.map(StoredValue::value).map(SessionLock.class::cast);
  }

  private static Map<String, LockRecord> held(Optional<? extends StoredValue<?>> stored) {
    Map<String, LockRecord> held = new LinkedHashMap<>();
    session(stored)
        .ifPresent(session -> session.held().forEach(lock -> held.put(lock.host(), lock)));
    return held;
  }

  private void lock(KeyTransition<?> change) {
    Optional<LockRecord> before =
        change.before().map(StoredValue::value).map(LockRecord.class::cast);
    Optional<LockRecord> after = change.after().map(StoredValue::value).map(LockRecord.class::cast);
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
    EndedLock end = ended.get(host);
    if (end != null && !changedHosts.contains(host)) {
      merge(
          new HistoryEntry(
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

  private void ticket(KeyTransition<?> change) {
    Optional<Ticket> before = change.before().map(StoredValue::value).map(Ticket.class::cast);
    Optional<Ticket> after = change.after().map(StoredValue::value).map(Ticket.class::cast);
    if (after.isPresent()) {
      if (change.creates()) {
        add(What.QUEUED, after.get(), after.get().holder(), after.get().reason());
      }
    } else {
      before.filter(ticket -> !served(ticket)).ifPresent(this::left);
    }
  }

  private void left(Ticket ticket) {
    TicketNote ticketNote = notes.get(ticket.id());
    add(
        What.LEFT,
        ticket,
        ticketNote == null || ticketNote.state() == TicketNote.State.REFUSED
            ? GRANTOR
            : ticket.holder(),
        ticketNote == null ? "its place was given up" : ticketNote.reason());
  }

  /** A candidate is granted under another id, on the same hosts. */
  private boolean served(Ticket ticket) {
    return entries.values().stream()
        .anyMatch(
            historyEntry ->
                historyEntry.what() == What.GRANTED
                    && (historyEntry.id().equals(ticket.id())
                        || (historyEntry.rollout().isPresent()
                            && historyEntry.rollout().equals(ticket.rollout())
                            && Set.copyOf(historyEntry.hosts())
                                .equals(Set.copyOf(ticket.hosts())))));
  }

  private void add(What what, LockRecord lock, String by, String reason) {
    merge(
        new HistoryEntry(
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
        new HistoryEntry(
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

  private void brake(KeyTransition<?> change) {
    Optional<Brake> pulled = change.after().map(StoredValue::value).map(Brake.class::cast);
    if (pulled.isPresent() && change.creates()) {
      brake(What.FROZEN, pulled.get().by(), pulled.get().reason());
    } else if (pulled.isEmpty()) {
      brake(
          What.UNFROZEN,
          cause.map(GenerationCause::by).orElse(""),
          cause.map(GenerationCause::reason).orElse(""));
    }
  }

  private void brake(What what, String by, String reason) {
    merge(
        new HistoryEntry(
            revision, what, "", Optional.empty(), List.of(), "", by, reason, 0, Optional.empty()));
  }

  private void merge(HistoryEntry historyEntry) {
    entries.merge(
        List.of(historyEntry.what(), historyEntry.id(), historyEntry.by(), historyEntry.reason()),
        historyEntry,
        (one, other) -> {
          List<String> hosts = new ArrayList<>(one.hosts());
          hosts.addAll(other.hosts());
          return new HistoryEntry(
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
