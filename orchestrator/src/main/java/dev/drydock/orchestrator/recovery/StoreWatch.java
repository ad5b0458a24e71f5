package dev.drydock.orchestrator.recovery;

import dev.drydock.api.JobStep;
import dev.drydock.lock.core.StoreTime;
import dev.drydock.orchestrator.jobs.ClaimGate;
import dev.drydock.orchestrator.store.GrantorBeat;
import dev.drydock.platform.metrics.Metrics;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares both stores and closes everything when one of them is older than the other (protocol
 * P10). Every process looks at its start and each second; the grantor also when it is elected, and
 * before each beat. Safe for use by many threads.
 */
public final class StoreWatch implements GrantorBeat, ClaimGate {
  private static final Logger log = LoggerFactory.getLogger(StoreWatch.class);

  private final Beats beats;
  private final Recoveries recoveries;
  private final StoreTime etcd;
  private final Metrics metrics;
  private final AtomicLong taken = new AtomicLong();

  public StoreWatch(Jdbi jdbi, StoreTime etcd, Metrics metrics) {
    this.beats = new Beats(jdbi);
    this.recoveries = new Recoveries(jdbi);
    this.etcd = etcd;
    this.metrics = metrics;
  }

  /** Looks; answers whether work may go on. What is found stands until the recovery ended. */
  @Override
  public boolean agree() {
    boolean agreed = recoveries.open().isEmpty();
    if (agreed) {
      agreed = compared();
    } else {
      // It is closed as it is, and beats go on from elsewhere.
      taken.set(0);
    }
    metrics.recovering.set(agreed ? 0 : 1);
    return agreed;
  }

  private boolean compared() {
    return switch (beats.compare(etcd)) {
      case StoreAgreement.Agreed() -> true;
      case StoreAgreement.Behind found -> {
        begin(found);
        yield false;
      }
    };
  }

  private void begin(StoreAgreement.Behind found) {
    log.error(
        "{} was restored: {}; nothing is granted or claimed until the hosts were read back",
        found.store().word(),
        found.reason());
    recoveries.begin(found);
  }

  @Override
  public OptionalLong next() {
    long seen = taken.get();
    OptionalLong beat = beats.take(seen);
    if (beat.isPresent()) {
      took(beat.getAsLong());
    } else {
      begin(
          new StoreAgreement.Behind(
              StoreAgreement.Store.POSTGRESQL,
              "PostgreSQL had beat %d a moment ago, and has not any more".formatted(seen)));
    }
    return beat;
  }

  @Override
  public void took(long beat) {
    taken.accumulateAndGet(beat, Math::max);
  }

  @Override
  public boolean stands(Handle handle) {
    Recoveries.Standing now = Recoveries.standing(handle);
    return now.closed().isEmpty() && now.taken() >= taken.get();
  }

  @Override
  public void kept(long beat, long generation) {
    beats.acknowledge(beat, generation);
  }

  /**
   * Hosts are read meanwhile, nothing else. A database with fewer beats than this process has seen
   * is another one than before, also when nobody has noticed yet.
   */
  @Override
  public Optional<String> closed(Handle handle, JobStep step) {
    Recoveries.Standing now = Recoveries.standing(handle);
    long before = taken.getAndAccumulate(now.taken(), Math::max);
    if (now.taken() < before) {
      return Optional.of("PostgreSQL is older than it was a moment ago");
    }
    return now.closed()
        .filter(reason -> step != JobStep.Verify || !now.joined())
        .map(reason -> "recovery mode: " + reason);
  }
}
