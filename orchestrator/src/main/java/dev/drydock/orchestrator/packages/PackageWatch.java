package dev.drydock.orchestrator.packages;

import dev.drydock.api.PackageReading;
import dev.drydock.api.PackagesDue;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Locks;
import dev.drydock.orchestrator.packages.PackageReadingDecision.Baseline;
import dev.drydock.orchestrator.packages.PackageReadingDecision.Equal;
import dev.drydock.orchestrator.packages.PackageReadingDecision.Foreign;
import dev.drydock.orchestrator.packages.PackageReadingDecision.Guard;
import dev.drydock.orchestrator.packages.PackageReadingDecision.Stale;
import dev.drydock.orchestrator.packages.PackageReadingDecision.Unreadable;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Tells which hosts are to be read, and takes what was read. A reading is compared with the one
 * before only if nobody had the host between them; else it is what the host is from now on. Safe
 * for use by many threads.
 */
public final class PackageWatch {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final Locks locks;
  private final Guard guard;

  /**
   * A watch that does nothing by itself.
   *
   * @param locks what is locked
   */
  public PackageWatch(Jdbi jdbi, Locks locks) {
    this(jdbi, locks, Guard.STAMP);
  }

  /**
   * The same.
   *
   * @param guard what keeps readings from being compared that must not be
   */
  PackageWatch(Jdbi jdbi, Locks locks, Guard guard) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.locks = locks;
    this.guard = guard;
  }

  /**
   * Hosts in nobody's hands that were not read for so long, the one that was read longest ago
   * first. Hosts that could not be read again and again are due more rarely. The total counts no
   * further than the page.
   */
  public Page<PackagesDue> due(long seconds, PageRequest pageRequest) {
    // Before the rows: a lock that ends in between is in its stamp or still on the host.
    LockTable table = locks.table();
    List<HostPackageState> found =
        jdbi.withHandle(
            handle -> new PackageRows(handle).due(table.locks().keySet(), seconds, pageRequest));
    return new Page<>(
        found.stream().map(hostPackageState -> due(hostPackageState, table)).toList(),
        pageRequest.start() + found.size());
  }

  private static PackagesDue due(HostPackageState hostPackageState, LockTable table) {
    return new PackagesDue()
        .setHost(hostPackageState.host())
        .setAddress(hostPackageState.address())
        .setOsFamily(hostPackageState.osFamily())
        .setStamp(hostPackageState.stamp(table))
        .setAskedAt(hostPackageState.now().toEpochMilli());
  }

  /**
   * Judges readings, each for itself. The same again changes nothing; of hosts that there are not
   * nothing is said.
   *
   * @return how many were taken
   */
  public int report(Collection<PackageReading> readings) {
    Map<String, PackageReading> byHost =
        readings.stream()
            .collect(
                Collectors.toMap(PackageReading::getHost, Function.identity(), (_, last) -> last));
    LockTable table = locks.table();
    return transactor.call(
        handle ->
            (int)
                new PackageRows(handle)
                    .lock(byHost.keySet()).stream()
                        .filter(one -> taken(handle, one, byHost, table))
                        .count());
  }

  private boolean taken(
      Handle handle,
      HostPackageState hostPackageState,
      Map<String, PackageReading> byHost,
      LockTable table) {
    PackageReading reading = byHost.get(hostPackageState.host());
    if (reading == null) {
      return false;
    }
    return switch (PackageReadingDecision.of(hostPackageState, reading, table, guard)) {
      case Stale _ -> false;
      case Unreadable unreadable -> {
        new PackageRows(handle).unreadable(hostPackageState.host(), unreadable.fault());
        yield true;
      }
      case Baseline _, Equal _ -> {
        keep(handle, hostPackageState, reading, table);
        yield true;
      }
      case Foreign foreign -> {
        keep(handle, hostPackageState, reading, table);
        ForeignUpdates.keep(
            handle,
            new ForeignUpdates.Found(
                hostPackageState.host(), foreign.after(), hostPackageState.now()));
        yield true;
      }
    };
  }

  /** What the consumer says of the time is believed as far as it can be. */
  private static void keep(
      Handle handle, HostPackageState hostPackageState, PackageReading reading, LockTable table) {
    long now = hostPackageState.now().toEpochMilli();
    Instant equalAt = Instant.ofEpochMilli(Math.clamp(reading.getAskedAt(), 0, now));
    new PackageRows(handle)
        .read(hostPackageState.host(), hostPackageState.mark(table), reading.getDigest(), equalAt);
  }
}
