package dev.drydock.impact.core;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * One consistent view of hosts and instances at {@link #now()}. Immutable; what is counted in it is
 * remembered.
 *
 * <p>Properties: an instance whose host or source is not in the view is not up; a source without a
 * report is stale; whatever claims to come from the future is stale, since a clock that was set
 * back would keep it fresh for as long as the step.
 */
public final class Fleet {
  /** How far ahead clocks may be of each other; what is further ahead has no known age. */
  private static final Duration AHEAD_MAX = Duration.ofSeconds(5);

  private final Instant now;
  private final Duration reportAgeMax;
  private final Map<String, SourceReport> reports;
  private final InventorySnapshot inventorySnapshot;
  private final UnaryOperator<FleetHost> locks;
  private final Map<String, List<Disruption>> disruptions;
  private final ExternalAnswers externalAnswers;
  private final AvailabilityCache availabilityCache = new AvailabilityCache(this);

  /**
   * @param now time of the clock that also issues marks
   * @param reportAgeMax staleness bound: a source whose newest report is older is not believed
   * @param reports the newest report of each source
   * @param disruptions of the applications whose rules ask for them, as far back as they ask
   */
  public Fleet(
      Instant now,
      Duration reportAgeMax,
      Map<String, SourceReport> reports,
      Collection<FleetHost> hosts,
      Collection<FleetInstance> instances,
      Collection<Disruption> disruptions) {
    this(now, reportAgeMax, reports, hosts, instances, disruptions, ExternalAnswers.SILENT);
  }

  /**
   * The same, with what others said.
   *
   * @param externalAnswers of the rules that ask others
   */
  public Fleet(
      Instant now,
      Duration reportAgeMax,
      Map<String, SourceReport> reports,
      Collection<FleetHost> hosts,
      Collection<FleetInstance> instances,
      Collection<Disruption> disruptions,
      ExternalAnswers externalAnswers) {
    this(
        now,
        reportAgeMax,
        reports,
        InventorySnapshot.of(hosts, instances),
        UnaryOperator.identity(),
        disruptions,
        externalAnswers);
  }

  /**
   * The same of an inventory that is kept, at the cost of what is looked at.
   *
   * @param locks what locks say about a host, asked whenever somebody looks at it: its last effect
   *     and whether a batch holds it. Always the same answer, from any thread
   */
  public Fleet(
      Instant now,
      Duration reportAgeMax,
      Map<String, SourceReport> reports,
      InventorySnapshot inventorySnapshot,
      UnaryOperator<FleetHost> locks,
      Collection<Disruption> disruptions,
      ExternalAnswers externalAnswers) {
    this.now = now;
    this.reportAgeMax = reportAgeMax;
    this.reports = Map.copyOf(reports);
    this.inventorySnapshot = inventorySnapshot;
    this.locks = locks;
    this.externalAnswers = externalAnswers;
    this.disruptions = disruptions.stream().collect(Collectors.groupingBy(Disruption::application));
  }

  public Instant now() {
    return now;
  }

  /** All of them, vanished ones included. */
  public Iterable<FleetHost> hosts() {
    return () -> inventorySnapshot.hosts().values().stream().map(locks).iterator();
  }

  public Optional<FleetHost> host(String name) {
    return Optional.ofNullable(inventorySnapshot.hosts().get(name)).map(locks);
  }

  /** Instances on the host that its scheduler still allocates there, in the order of ids. */
  public List<FleetInstance> allocatedOn(String host) {
    return inventorySnapshot.byHost().getOrDefault(host, List.of());
  }

  /** Those of the application, on whichever host, whatever their health. */
  public List<FleetInstance> allocatedTo(String application) {
    return inventorySnapshot.byApplication().getOrDefault(application, List.of());
  }

  /** What was taken down of the application, and when; each instance at most once per lock. */
  public List<Disruption> disruptionsOf(String application) {
    return disruptions.getOrDefault(application, List.of());
  }

  /** What is up, counted once for all who ask in this view. */
  AvailabilityCache standings() {
    return availabilityCache;
  }

  /** What others said who were asked. */
  public ExternalAnswers outside() {
    return externalAnswers;
  }

  /**
   * How far {@code then} is ahead of now; empty when it is not, or by no more than clocks differ.
   */
  Optional<Duration> ahead(Instant then) {
    return Optional.of(Duration.between(now, then)).filter(d -> d.compareTo(AHEAD_MAX) > 0);
  }

  /** Why the source is not believed now; empty when its newest report is fresh. */
  public Optional<String> staleness(String source) {
    SourceReport reported = reports.get(source);
    if (reported == null) {
      return Optional.of("source " + source + " has not reported yet");
    }
    if (!reported.ageKnown()) {
      return Optional.of(
          "source " + source + " has not reported since the clock of the database was set back");
    }
    Optional<Duration> ahead = ahead(reported.at());
    if (ahead.isPresent()) {
      return Optional.of(
          "source %s reported %d s in the future".formatted(source, ahead.get().toSeconds()));
    }
    Duration age = Duration.between(reported.at(), now);
    if (age.compareTo(reportAgeMax) <= 0) {
      return Optional.empty();
    }
    return Optional.of(
        "source %s has not reported for %d s, bound %d s"
            .formatted(source, age.toSeconds(), reportAgeMax.toSeconds()));
  }

  /** Mark of the source's newest report; 0 before the first. */
  public long lastMark(String source) {
    SourceReport reported = reports.get(source);
    return reported == null ? 0 : reported.mark();
  }
}
