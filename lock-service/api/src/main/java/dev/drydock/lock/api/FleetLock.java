package dev.drydock.lock.api;

import dev.drydock.lock.core.HostDirectory;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.etcd.EtcdLocks;
import dev.drydock.lock.etcd.RequestStatus;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.identity.Principal;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Hosts that ask by the FleetLock protocol whether they may reboot (protocol P11). Each stands in
 * the queue of its own host, and is granted a hold only while one of its polls is open: the answer
 * to a poll is the only way to tell it. The same id gets the same answer.
 */
final class FleetLock {
  /** How the ids of these holds begin. */
  static final String PREFIX = "fl-";

  private final EtcdLocks locks;
  private final HostDirectory directory;
  private final LockAudit audit;
  private final BootIdHistory boots;
  private final InstantSource clock;
  private final Times times;

  /**
   * How long things take.
   *
   * @param answer how long a poll is kept open for the grant
   * @param interval without another poll for so long a client loses its place
   * @param maximum after which a host that does not come back is verified
   */
  record Times(Duration answer, Duration interval, Duration maximum) {
    static Times of(ServerConfig.FleetLock config) {
      return new Times(Duration.ofSeconds(3), config.poll(), config.maximum());
    }
  }

  /** What it writes down beside the lock itself. */
  record Records(LockAudit audit, BootIdHistory boots) {}

  FleetLock(
      EtcdLocks locks, HostDirectory directory, Records records, InstantSource clock, Times times) {
    this.locks = locks;
    this.directory = directory;
    this.audit = records.audit();
    this.boots = records.boots();
    this.clock = clock;
    this.times = times;
  }

  /** How a call ends. */
  sealed interface Outcome {
    /** As asked for. */
    record Done() implements Outcome {}

    /** Not now: the client polls again. */
    record NotYet(String why) implements Outcome {}

    /** Asking again changes nothing: somebody has to look after it. */
    record Refused(String kind, String why) implements Outcome {}
  }

  /** May the host of {@code id} reboot? */
  Outcome lock(Principal principal, String id, String group) {
    List<String> hosts = directory.hostsOfFleetLock(id);
    if (hosts.size() != 1) {
      return unknown(id, hosts);
    }
    String host = hosts.getFirst();
    Optional<LockRecord> own = own(host);
    if (own.isPresent()) {
      return own.get().kind() == Kind.QUARANTINE ? quarantined(own.get()) : again(own.get());
    }
    return poll(
        host, locks.polled().enter(host, PREFIX, ticket -> enters(principal, ticket, host, group)));
  }

  /**
   * Whoever asks again is about to reboot again, so that only a start after this one verifies its
   * host. A hold that is verified already is not used again: what was seen since may end it while
   * the host is down.
   */
  private Outcome again(LockRecord hold) {
    if (!locks.noted(hold)) {
      boots.remember(hold.host(), hold.id());
      if (own(hold.host()).equals(Optional.of(hold)) && !locks.noted(hold)) {
        return new Outcome.Done();
      }
    }
    return new Outcome.NotYet(
        hold.host()
            + " did not reach its steady state within "
            + hold.maxSeconds()
            + " s and is verified: ask again once it was seen restarted and healthy");
  }

  /** The host of {@code id} is back, or does not want to reboot any more. */
  Outcome unlock(Principal principal, String id) {
    List<String> hosts = directory.hostsOfFleetLock(id);
    if (hosts.size() != 1) {
      return unknown(id, hosts);
    }
    String host = hosts.getFirst();
    Optional<LockRecord> own = own(host);
    if (own.isPresent() && own.get().kind() == Kind.QUARANTINE) {
      return quarantined(own.get());
    }
    Optional<String> ending = locks.polled().waitingOrHeld(host, PREFIX);
    ending.ifPresent(
        ticket -> {
          audit.record(
              principal,
              "fleetlock.steady",
              "ticket/" + ticket,
              Json.writeTree(Map.of("id", id, "host", host)));
          locks.desk().leave(ticket, principal.name(), "steady state");
        });
    return new Outcome.Done();
  }

  private static Outcome unknown(String id, List<String> hosts) {
    return hosts.isEmpty()
        ? new Outcome.Refused(
            "unknown_host", "no host is named " + id + " or has the label fleetlock-id=" + id)
        : new Outcome.Refused(
            "ambiguous_host",
            id + " stands for " + String.join(", ", hosts) + ": correct their labels");
  }

  private static Outcome quarantined(LockRecord lock) {
    return new Outcome.Refused("quarantined", lock.host() + " is quarantined: " + lock.reason());
  }

  private Optional<LockRecord> own(String host) {
    return locks.lockOn(host).filter(lock -> lock.id().startsWith(PREFIX));
  }

  private Ticket enters(Principal principal, String id, String host, String group) {
    Ticket ticket =
        new Ticket(
                id,
                Ticket.Mode.FLEETLOCK,
                List.of(host),
                List.of(),
                principal.name(),
                "reboot by FleetLock, group " + group,
                clock.instant().plus(times.interval()),
                Math.toIntExact(times.interval().toSeconds()),
                0)
            .lasting(Math.toIntExact(times.maximum().toSeconds()))
            .advised(principal.advisory());
    audit.record(
        principal,
        "fleetlock.reboot",
        "ticket/" + ticket.id(),
        Json.writeTree(Map.of("host", host, "group", group)));
    return ticket;
  }

  /** Open for a grant until the answer, and no longer, unless another poll of the host is. */
  private Outcome poll(String host, String ticket) {
    boots.remember(host, ticket);
    Instant now = clock.instant();
    Instant deadline = now.plus(times.interval());
    // The poll is closed by taking this back; the time is for a server that dies before.
    Instant until = now.plus(times.answer().multipliedBy(3));
    try {
      if (locks.polled().ask(ticket, deadline, until)) {
        locks.polled().await(ticket, times.answer());
      }
    } finally {
      locks.polled().close(ticket, deadline, until);
    }
    return locks
        .desk()
        .find(ticket)
        .map(FleetLock::outcome)
        .orElse(new Outcome.NotYet("ask again"));
  }

  private static Outcome outcome(RequestStatus requestStatus) {
    return switch (requestStatus) {
      case RequestStatus.Held held -> new Outcome.Done();
      case RequestStatus.Waiting waiting -> new Outcome.NotYet(waiting.reason());
      case RequestStatus.Over over -> new Outcome.NotYet(over.note().reason());
    };
  }
}
