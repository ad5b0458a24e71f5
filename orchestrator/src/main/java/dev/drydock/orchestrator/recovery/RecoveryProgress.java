package dev.drydock.orchestrator.recovery;

import dev.drydock.api.Recovery;
import dev.drydock.orchestrator.recovery.Recoveries.Open;
import dev.drydock.orchestrator.recovery.Recoveries.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** How far a recovery is, for people. Safe for use by many threads. */
public final class RecoveryProgress {
  private static final int NAMED_MAX = 10;

  private final Recoveries recoveries;
  private final LeaseGracePeriod leaseGracePeriod;

  public RecoveryProgress(Jdbi jdbi, LeaseGracePeriod leaseGracePeriod) {
    this.recoveries = new Recoveries(jdbi);
    this.leaseGracePeriod = leaseGracePeriod;
  }

  /** As of now. */
  public Recovery read() {
    return recoveries.open().map(this::of).orElseGet(() -> new Recovery().setRecovering(false));
  }

  private Recovery of(Open open) {
    Recovery told =
        new Recovery()
            .setRecovering(true)
            .setBehind(open.behind().word())
            .setReason(open.reason())
            .setSince(open.noticedAt().toEpochMilli());
    if (open.epoch().isEmpty()) {
      return told.setWaitsFor("what both stores know of is joined");
    }
    Progress progress = recoveries.progress(open);
    return told.setHosts((int) progress.hosts())
        .setRead((int) progress.read())
        .setWaitsFor(waitsFor(open));
  }

  private String waitsFor(Open open) {
    List<String> waits = new ArrayList<>();
    named(recoveries.unread(open)).ifPresent(hosts -> waits.add("hosts to be read back: " + hosts));
    named(recoveries.toLock()).ifPresent(hosts -> waits.add("hosts to be locked again: " + hosts));
    waits.add(
        "leases from before, "
            + leaseGracePeriod.longest(open.behind()).toSeconds()
            + " s at most");
    return String.join("; ", waits);
  }

  /** The first of them, if there are any. */
  private static Optional<String> named(List<String> hosts) {
    String named = String.join(", ", hosts.stream().limit(NAMED_MAX).toList());
    int more = hosts.size() - NAMED_MAX;
    return hosts.isEmpty()
        ? Optional.empty()
        : Optional.of(more > 0 ? named + " and " + more + " more" : named);
  }
}
