package dev.drydock.lock.api;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.Lock;
import dev.drydock.api.LockKind;
import dev.drydock.api.LockState;
import dev.drydock.api.QueueOrder;
import dev.drydock.lock.core.HoldIds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.etcd.RequestStatus;
import java.util.List;
import java.util.Locale;

/** Standings as they go over the wire. */
public final class LockRecords {
  private static final String EXPIRED =
      "its client is gone, but may not know yet: it excludes others until a lease went by";

  private static final String ASK_ANEW = " (asking anew takes another request id)";

  private LockRecords() {}

  static Lock lock(RequestStatus requestStatus) {
    Lock lock =
        new Lock()
            .setId(requestStatus.id())
            .setHosts(new StringArray(requestStatus.hosts()))
            .setHolder(requestStatus.holder())
            .setApplications(new StringArray(List.of()))
            .setStage("")
            .setExplanation("");
    return switch (requestStatus) {
      case RequestStatus.Waiting waiting -> waiting(lock, waiting);
      case RequestStatus.Held held -> held(lock, held);
      case RequestStatus.Over over ->
          lock.setKind(kind(over.note().kind()))
              .setState(state(over))
              .setReason("")
              .setExplanation(over.note().reason() + (usedUp(over) ? ASK_ANEW : ""));
    };
  }

  private static boolean usedUp(RequestStatus.Over over) {
    return over.note().state() == TicketNote.State.ENDED
        && over.note().kind() == LockRecord.Kind.SESSION;
  }

  static LockState state(RequestStatus requestStatus) {
    return switch (requestStatus) {
      case RequestStatus.Waiting waiting -> LockState.Waiting;
      case RequestStatus.Held held ->
          held.lapsed() && !broken(held) ? LockState.Lapsed : LockState.Held;
      case RequestStatus.Over over ->
          switch (over.note().state()) {
            case REFUSED -> LockState.Refused;
            case ENDED -> LockState.Ended;
            case WAITING -> LockState.Waiting;
          };
    };
  }

  /** On one of its hosts at least, which is kept from everybody. */
  private static boolean broken(RequestStatus.Held held) {
    return !held.of(LockRecord.Kind.QUARANTINE).isEmpty();
  }

  private static Lock waiting(Lock lock, RequestStatus.Waiting waiting) {
    Ticket ticket = waiting.ticket();
    ticket.rollout().ifPresent(lock::setRollout);
    LockKind kind =
        switch (ticket.mode()) {
          case CANDIDATE -> LockKind.Batch;
          case FLEETLOCK -> hold(ticket.id());
          case TRY, WAIT -> LockKind.Session;
        };
    if (ticket.maxSeconds() > 0) {
      lock.setMaxSeconds(ticket.maxSeconds());
    }
    return lock.setKind(kind)
        .setAdvisory(ticket.advisory())
        .setState(LockState.Waiting)
        .setApplications(new StringArray(ticket.applications()))
        .setReason(ticket.reason())
        .setPosition(waiting.place().position())
        .setOrder(
            new QueueOrder()
                .setRevision(ticket.seniority().revision())
                .setIndex(ticket.seniority().index()))
        .setDeadline(ticket.pollDeadline().toEpochMilli())
        .setExplanation(waiting.reason());
  }

  private static Lock held(Lock lock, RequestStatus.Held held) {
    LockRecord first = held.locks().getFirst();
    first.rollout().ifPresent(lock::setRollout);
    if (held.locks().stream().anyMatch(one -> one.kind() == LockRecord.Kind.SESSION)) {
      lock.setAlive(!held.expired());
    }
    if (held.expired() && !held.lapsed()) {
      held.until().ifPresent(until -> lock.setExcludesUntil(until.toEpochMilli()));
      lock.setExplanation(EXPIRED);
    }
    if (first.rollout().isPresent()) {
      lock.setGrant(first.id()).setStage(first.stage().name().toLowerCase(Locale.ROOT));
    }
    boolean quarantined =
        held.locks().stream().allMatch(one -> one.kind() == LockRecord.Kind.QUARANTINE);
    first.grantedAt().ifPresent(at -> lock.setGrantedAt(at.toEpochMilli()));
    if (first.maxSeconds() > 0 && !quarantined) {
      lock.setMaxSeconds(first.maxSeconds());
      first
          .grantedAt()
          .ifPresent(at -> lock.setEndsAt(at.plusSeconds(first.maxSeconds()).toEpochMilli()));
    }
    return lock.setKind(quarantined ? LockKind.Quarantine : kind(first))
        .setAdvisory(first.advisory())
        .setState(state(held))
        .setApplications(new StringArray(first.applications()))
        .setReason(first.reason())
        .setToken(first.token());
  }

  private static LockKind kind(LockRecord lock) {
    return kind(lock.kind(), lock.id());
  }

  /** The word for a kind of lock; people and FleetLock clients hold by the same kind. */
  public static LockKind kind(LockRecord.Kind kind, String id) {
    return kind == LockRecord.Kind.FLEETLOCK ? hold(id) : kind(kind);
  }

  private static LockKind hold(String id) {
    return HoldIds.byHand(id) ? LockKind.Maintenance : LockKind.FleetLock;
  }

  private static LockKind kind(LockRecord.Kind kind) {
    return switch (kind) {
      case SESSION -> LockKind.Session;
      case BATCH -> LockKind.Batch;
      case QUARANTINE -> LockKind.Quarantine;
      case FLEETLOCK -> LockKind.FleetLock;
    };
  }
}
