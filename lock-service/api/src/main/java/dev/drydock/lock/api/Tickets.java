package dev.drydock.lock.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.api.Lock;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.lock.core.HoldIds;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.RequestStatus;
import dev.drydock.lock.etcd.TicketTooLargeException;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.proto.Json;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * What principals may do with tickets and locks. Every change is written to the audit before it is
 * made.
 */
final class Tickets {
  /** How long a try is waited for; longer means that no grantor runs. */
  private static final Duration VERDICT_MAX = Duration.ofSeconds(10);

  /** A try whose verdict nobody waits for any more leaves the queue by itself. */
  private static final int TRY_SECONDS = 15;

  private final EtcdLocks locks;
  private final TicketValidation rules;
  private final LockAudit audit;
  private final Supplier<Optional<String>> recovery;
  private final InstantSource clock;

  /**
   * Tickets.
   *
   * @param recovery why nothing is granted, while a store that was restored is being recovered
   */
  Tickets(
      EtcdLocks locks,
      TicketValidation rules,
      LockAudit audit,
      Supplier<Optional<String>> recovery,
      InstantSource clock) {
    this.locks = locks;
    this.rules = rules;
    this.audit = audit;
    this.recovery = recovery;
    this.clock = clock;
  }

  /** Takes a ticket; a try is answered when it is decided. The id of the ticket. */
  String take(Principal principal, TicketRequest request) {
    Ticket ticket = ticket(principal, request, rules.hosts(request));
    Optional<RequestStatus> known =
        request.hasRequestId() ? locks.desk().find(ticket.id()) : Optional.empty();
    if (known.isEmpty()) {
      if (ticket.mode() == Ticket.Mode.TRY) {
        notInRecovery();
      }
      check(ticket);
      audit.record(principal, "ticket.create", "ticket/" + ticket.id(), Json.write(request));
    }
    RequestStatus requestStatus = request.isHold() ? submitPolled(ticket) : submit(ticket, request);
    if (!asked(requestStatus).equals(Set.copyOf(ticket.hosts()))) {
      throw ApiException.conflict(
          "REQUEST_ID_REUSED",
          "requestId "
              + request.getRequestId()
              + " was used for other hosts: choose a new one for this request");
    }
    return ticket.id();
  }

  /** Nobody decides about a try meanwhile, and who waits keeps his place. */
  private void notInRecovery() {
    recovery
        .get()
        .ifPresent(
            why -> {
              throw ApiException.conflict(
                  "RECOVERY_MODE",
                  "nothing is granted, in recovery mode: "
                      + why
                      + "; see drydock recovery status, or wait in the queue");
            });
  }

  private void check(Ticket ticket) {
    try {
      locks.desk().check(ticket);
    } catch (TicketTooLargeException tooLarge) {
      throw ApiException.invalid(
          "TICKET_TOO_LARGE",
          "The request for hosts is too large; see details.",
          List.of(ApiException.detail("hosts", String.valueOf(tooLarge.getMessage()))));
    }
  }

  /** A try is decided when this returns, if there is a grantor. */
  private RequestStatus submit(Ticket ticket, TicketRequest request) {
    if (ticket.mode() == Ticket.Mode.TRY) {
      return locks.desk().answer(ticket, !request.hasRequestId(), VERDICT_MAX);
    }
    int firstLease = Math.max(ticket.leaseSeconds(), ticket.waitSeconds());
    return locks.desk().submit(ticket, Duration.ofSeconds(firstLease));
  }

  private RequestStatus submitPolled(Ticket ticket) {
    if (locks.desk().find(ticket.id()).isEmpty()) {
      locks.polled().submit(ticket);
    }
    return find(ticket.id());
  }

  private Ticket ticket(Principal principal, TicketRequest request, List<String> hosts) {
    boolean waits = request.getMode() == TicketMode.Wait;
    int waitSeconds = waits ? request.getWaitSeconds() : TRY_SECONDS;
    Instant deadline = clock.instant().plusSeconds(waitSeconds);
    return new Ticket(
            id(principal, request),
            request.isHold() ? Ticket.Mode.FLEETLOCK : mode(waits),
            hosts,
            request.hasApplications() ? List.copyOf(request.getApplications()) : List.of(),
            principal.name(),
            request.getReason(),
            deadline,
            waitSeconds,
            request.getLeaseSeconds())
        .lasting(request.getMaxSeconds())
        .advised(principal.advisory())
        // Its client polls while the ticket waits, and finds the grant later as well.
        .asking(request.isHold() ? Optional.of(deadline) : Optional.empty());
  }

  private static Ticket.Mode mode(boolean waits) {
    return waits ? Ticket.Mode.WAIT : Ticket.Mode.TRY;
  }

  /** The same request of the same principal is the same ticket. */
  private static String id(Principal principal, TicketRequest request) {
    String name =
        request.hasRequestId()
            ? principal.name() + "\n" + request.getRequestId()
            : UUID.randomUUID().toString();
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(UTF_8));
      String kind = request.isHold() ? HoldIds.MAINTENANCE : "t-";
      return kind + HexFormat.of().formatHex(digest, 0, 8);
    } catch (NoSuchAlgorithmException never) {
      throw new IllegalStateException(never);
    }
  }

  private static Set<String> asked(RequestStatus requestStatus) {
    return switch (requestStatus) {
      case RequestStatus.Held held -> new HashSet<>(held.locks().getFirst().hosts());
      case RequestStatus.Waiting waiting -> new HashSet<>(waiting.hosts());
      case RequestStatus.Over over -> new HashSet<>(over.hosts());
    };
  }

  RequestStatus find(String id) {
    return locks
        .desk()
        .find(id)
        .orElseThrow(
            () ->
                ApiException.notFound(
                    "UNKNOWN_TICKET",
                    "there is no ticket or lock " + id + ", or it ended some minutes ago"));
  }

  /** One lock or ticket with what only costs a look at its lease. */
  Lock detail(String id) {
    RequestStatus requestStatus = find(id);
    Lock lock = LockRecords.lock(requestStatus);
    if (Boolean.TRUE.equals(lock.isAlive())) {
      locks.leaseSecondsLeft(id).ifPresent(left -> lock.setLeaseSecondsLeft((int) left));
    }
    return lock;
  }

  List<RequestStatus> all() {
    return locks.desk().all();
  }

  /** Keeps a ticket in the queue, or a lock for another lease. */
  void renew(Principal principal, String id) {
    RequestStatus requestStatus = find(id);
    if (requestStatus instanceof RequestStatus.Held held
        && held.holder().equals(principal.name())) {
      notBroken(held);
    }
    owned(principal, requestStatus, "renew");
    if (requestStatus instanceof RequestStatus.Waiting waiting
        && waiting.ticket().mode() == Ticket.Mode.FLEETLOCK
        && asks(waiting.ticket())) {
      return;
    }
    RequestStatus renewed = locks.desk().renew(id).orElseGet(() -> find(id));
    switch (renewed) {
      case RequestStatus.Waiting waiting -> {}
      case RequestStatus.Held held when held.of(Kind.SESSION).isEmpty() ->
          throw ApiException.conflict("NOT_A_SESSION", id + " is a hold and has no lease to renew");
      case RequestStatus.Held held when held.expired() ->
          throw ApiException.conflict(
              "LOCK_LAPSED",
              "lock "
                  + id
                  + " was not renewed in time, or lasted as long as it may: stop the work, release"
                  + " it (drydock lock release "
                  + id
                  + "), then ask again");
      case RequestStatus.Held held -> {}
      case RequestStatus.Over over ->
          throw ApiException.conflict("TICKET_OVER", id + " is over: " + over.note().reason());
    }
  }

  /** Its client polls, whom a grant reaches until it would have to ask again. */
  private boolean asks(Ticket ticket) {
    Instant deadline = clock.instant().plusSeconds(ticket.waitSeconds());
    return locks.polled().ask(ticket.id(), deadline, deadline);
  }

  /** Also where only some of the hosts are taken away, or not all of them yet. */
  private static void notBroken(RequestStatus.Held held) {
    List<LockRecord> broken = held.of(Kind.QUARANTINE);
    if (!broken.isEmpty()) {
      throw ApiException.conflict(
          "LOCK_BROKEN",
          "lock %s was taken from you on %s, stop the work: %s"
              .formatted(
                  held.id(),
                  broken.stream().map(LockRecord::host).collect(Collectors.joining(", ")),
                  broken.getFirst().reason()));
    }
  }

  /** Leaves the queue, ends a session lock, or, for an administrator, a quarantine. Repeatable. */
  void leave(Principal principal, String id, String reason) {
    ReasonText.require(reason, "INVALID_REASON", "Ending a lock");
    RequestStatus requestStatus = ownOrFound(principal, id);
    owned(principal, requestStatus, "end");
    if (requestStatus instanceof RequestStatus.Over) {
      return;
    }
    audit.record(
        principal,
        requestStatus instanceof RequestStatus.Held ? "lock.end" : "ticket.leave",
        "ticket/" + id,
        Json.writeTree(java.util.Map.of("reason", reason, "hosts", requestStatus.hosts())));
    if (requestStatus instanceof RequestStatus.Held held && held.ofClient().isEmpty()) {
      endHold(principal, held, reason);
    } else {
      locks.desk().leave(requestStatus, principal.name(), reason);
    }
  }

  /**
   * What is the principal's own stays so until it ends, and what ends it compares with what is
   * there; so that need not be asked for first.
   */
  private RequestStatus ownOrFound(Principal principal, String id) {
    return locks
        .desk()
        .seen(id)
        .filter(seen -> seen.holder().equals(principal.name()))
        .filter(
            seen ->
                !(seen instanceof RequestStatus.Held held) || held.locks().equals(held.ofClient()))
        .orElseGet(() -> find(id));
  }

  private void endHold(Principal principal, RequestStatus.Held held, String reason) {
    for (LockRecord lock : held.locks()) {
      locks.endQuarantine(lock, principal.name(), reason);
    }
    locks.desk().tellEnd(held.locks().getFirst(), principal.name(), reason);
  }

  /** A batch hold is its batch's; a quarantine ends when an administrator says so. */
  private static void owned(Principal principal, RequestStatus requestStatus, String verb) {
    if (requestStatus instanceof RequestStatus.Over
        && requestStatus.holder().equals(RequestStatus.UNKNOWN)) {
      return; // Nothing is left that anybody could change.
    }
    if (requestStatus instanceof RequestStatus.Held held && !held.of(Kind.BATCH).isEmpty()) {
      throw ApiException.conflict(
          "HOLD_OF_A_BATCH",
          requestStatus.id()
              + " is the hold of a running batch, which ends it when its hosts are back");
    }
    boolean clients =
        !(requestStatus instanceof RequestStatus.Held held) || !held.ofClient().isEmpty();
    boolean own = clients && requestStatus.holder().equals(principal.name());
    boolean stands = requestStatus instanceof RequestStatus.Held held && clients && !held.lapsed();
    if (!own && stands) {
      throw ApiException.forbidden(
          "NOT_YOURS",
          requestStatus.id()
              + " is held by "
              + requestStatus.holder()
              + ": only they may "
              + verb
              + " it, and an administrator may break it (action breakGlass)");
    }
    if (!clients && principal.role() != Role.ADMIN) {
      throw ApiException.forbidden(
          "NOT_YOURS",
          requestStatus.id()
              + " is a quarantine: only an administrator may "
              + verb
              + " it, once its hosts were looked at");
    }
    if (!own && principal.role() != Role.ADMIN) {
      throw ApiException.forbidden(
          "NOT_YOURS",
          requestStatus.id()
              + " belongs to "
              + requestStatus.holder()
              + ": only its holder or an administrator may "
              + verb
              + " it");
    }
  }
}
