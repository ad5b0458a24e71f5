package dev.drydock.cli;

import dev.drydock.api.Freeze;
import dev.drydock.api.HealthState;
import dev.drydock.api.Host;
import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Instance;
import dev.drydock.api.Lock;
import dev.drydock.api.LockHistoryEntry;
import dev.drydock.api.LockState;
import dev.drydock.api.PolicyDocument;
import dev.drydock.api.Recovery;
import dev.drydock.api.Release;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutOrigin;
import dev.drydock.api.RolloutState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tables of the things Drydock knows. */
final class TableViews {
  static final Table<Rollout> ROLLOUTS =
      Table.<Rollout>of(Rollout::getId)
          .column("ROLLOUT", Rollout::getId)
          .column("RELEASE", Rollout::getRelease)
          .column("STATE", rollout -> rollout.getState().name())
          .wide("STATE BY", Rollout::getStateBy)
          .wide("BECAUSE", Rollout::getStateReason)
          .column("HOSTS", rollout -> "" + rollout.getHostCount())
          .column("UPGRADED", rollout -> "" + rollout.getUpgraded())
          .column("IN PROGRESS", rollout -> "" + rollout.getInProgress())
          .column("PENDING", rollout -> "" + rollout.getPending())
          .column("OTHER", TableViews::other)
          .wide("PRIORITY", rollout -> rollout.getPriority().name())
          .wide("REQUESTER", Rollout::getRequester)
          .wide("STARTED", rollout -> time(rollout.getCreatedAt()))
          .wide("STARTS AT", rollout -> time(rollout.getStartAt()))
          .wide("CHANGE", Rollout::getChangeTicket)
          .wide("ORIGIN", TableViews::origin)
          .wide("ENDED", rollout -> time(rollout.getEndedAt()))
          .wide("REASON", Rollout::getReason);

  static final Table<HostUpgrade> HOST_UPGRADES =
      Table.<HostUpgrade>of(HostUpgrade::getHost)
          .column("HOST", HostUpgrade::getHost)
          .column("STATE", upgrade -> upgrade.getState().name())
          .column("STEP", upgrade -> text(upgrade.getStep()))
          .wide("GRANT", upgrade -> text(upgrade.getGrant()))
          .wide("STARTED", upgrade -> time(upgrade.getStartedAt()))
          .wide("ENDED", upgrade -> time(upgrade.getEndedAt()))
          .column("REASON", HostUpgrade::getReason)
          .wide("FACTS", upgrade -> map(upgrade.getFacts()));

  static final Table<Host> HOSTS =
      Table.<Host>of(Host::getName)
          .column("HOST", Host::getName)
          .column("RELEASE", host -> text(host.getRelease()))
          .column("SCHEDULER", Host::getScheduler)
          .column("INSTANCES", TableViews::health)
          .column(
              "LOCK",
              host ->
                  host.getLock() == null
                      ? ""
                      : host.getLock().getKind() + " " + host.getLock().getId())
          .wide("ADDRESS", Host::getAddress)
          .wide("CLASS", Host::getHardwareClass)
          .wide("LABELS", host -> map(host.getLabels()))
          .wide("OBSERVED", host -> time(host.getObservedAt()))
          .wide("VANISHED", host -> time(host.getVanishedAt()));

  static final Table<Instance> INSTANCES =
      Table.<Instance>of(Instance::getId)
          .column("INSTANCE", Instance::getId)
          .column("APPLICATION", Instance::getApplication)
          .column("ZONE", Instance::getZone)
          .column("HEALTH", TableViews::health)
          .column("DETAIL", Instance::getDetail)
          .wide("OBSERVED", instance -> time(instance.getObservedAt()))
          .wide("CAPACITY", instance -> "" + Objects.requireNonNullElse(instance.getCapacity(), 1))
          .wide("MARK", instance -> "" + instance.getMark());

  static final Table<Release> RELEASES =
      Table.<Release>of(Release::getName)
          .column("RELEASE", Release::getName)
          .column("KERNEL", Release::getKernel)
          .column("PACKAGES", release -> map(release.getPackages()))
          .wide("CHANNEL", release -> text(release.getChannel()))
          .wide("DNF CHANNEL", release -> text(release.getDnfChannel()))
          .wide("DNF PACKAGES", release -> map(release.getDnfPackages()))
          .wide("ADDED", release -> time(release.getCreatedAt()))
          .wide("BY", release -> text(release.getCreatedBy()));

  static final Table<PolicyDocument> POLICIES =
      Table.<PolicyDocument>of(policy -> text(policy.getName()))
          .column("POLICY", policy -> text(policy.getName()))
          .column("VERSION", policy -> Objects.toString(policy.getVersion(), ""))
          .column("TEAM", policy -> text(policy.getTeam()))
          .column(
              "APPLICATIONS",
              policy ->
                  policy.getApplications() == null
                      ? ""
                      : String.join(",", policy.getApplications()))
          .wide("APPLIED", policy -> time(policy.getCreatedAt()))
          .wide("BY", policy -> text(policy.getCreatedBy()));

  static final Table<Lock> LOCKS =
      Table.<Lock>of(Lock::getId)
          .column("LOCK", Lock::getId)
          .column("KIND", lock -> lock.getKind().name())
          .column("STATE", TableViews::state)
          .column("STAGE", Lock::getStage)
          .column("HOSTS", lock -> String.join(",", lock.getHosts()))
          .column("HOLDER", Lock::getHolder)
          .column("SINCE", lock -> time(lock.getGrantedAt()))
          .wide("TOKEN", lock -> Objects.toString(lock.getToken(), ""))
          .column("POSITION", lock -> Objects.toString(lock.getPosition(), ""))
          .wide("ALIVE", lock -> Objects.toString(lock.isAlive(), ""))
          .wide("LEASE LEFT", lock -> seconds(lock.getLeaseSecondsLeft()))
          .wide("MAX", lock -> seconds(lock.getMaxSeconds()))
          .wide("ENDS", lock -> time(lock.getEndsAt()))
          .wide("EXCLUDES UNTIL", lock -> time(lock.getExcludesUntil()))
          .wide("LAPSED", lock -> time(lock.getLapsedAt()))
          .column("REASON", Lock::getReason)
          .wide("WHY", Lock::getExplanation);

  static final Table<LockHistoryEntry> LOCK_HISTORY =
      Table.<LockHistoryEntry>of(entry -> text(entry.getLock()))
          .column("WRITTEN", entry -> time(entry.getAt()))
          .column("CHANGE", LockHistoryEntry::getChange)
          .column("LOCK", entry -> text(entry.getLock()))
          .wide("KIND", entry -> text(entry.getKind()))
          .column("HOSTS", entry -> String.join(",", entry.getHosts()))
          .column("HOLDER", entry -> text(entry.getHolder()))
          .column("BY", entry -> text(entry.getBy()))
          .wide("TOKEN", entry -> Objects.toString(entry.getToken(), ""))
          .wide("REVISION", entry -> Long.toString(entry.getRevision()))
          .column("REASON", TableViews::reason);

  static final Table<HostDecision> HOST_DECISIONS =
      Table.<HostDecision>of(decision -> text(decision.getLock()))
          .column("AT", decision -> time(decision.getAt()))
          .column("DECISION", HostDecision::getDecision)
          .column("ROLLOUT", decision -> text(decision.getRollout()))
          .wide("LOCK", decision -> text(decision.getLock()))
          .column("BY", decision -> text(decision.getBy()))
          .column("REASON", HostDecision::getReason);

  static final Table<Freeze> FREEZE =
      Table.<Freeze>of(TableViews::brake)
          .column("FLEET", TableViews::brake)
          .column("BY", freeze -> text(freeze.getBy()))
          .column("SINCE", freeze -> time(freeze.getSince()))
          .column("REASON", freeze -> text(freeze.getReason()));

  static final Table<Recovery> RECOVERY =
      Table.<Recovery>of(TableViews::stores)
          .column("STORES", TableViews::stores)
          .column("BEHIND", recovery -> text(recovery.getBehind()))
          .column("SINCE", recovery -> time(recovery.getSince()))
          .column("READ", TableViews::read)
          .column("WAITS FOR", recovery -> text(recovery.getWaitsFor()))
          .column("REASON", recovery -> text(recovery.getReason()));

  private TableViews() {}

  /** A batch's reason is that of its rollout. */
  private static String reason(LockHistoryEntry entry) {
    return entry.getReason().isEmpty() && entry.hasRollout()
        ? "rollout " + entry.getRollout()
        : entry.getReason();
  }

  private static String brake(Freeze freeze) {
    return freeze.isFrozen() ? "frozen" : "moving";
  }

  private static String stores(Recovery recovery) {
    return recovery.isRecovering() ? "recovering" : "agree";
  }

  private static String read(Recovery recovery) {
    return recovery.hasHosts() ? recovery.getRead() + " of " + recovery.getHosts() : "";
  }

  private static String origin(Rollout rollout) {
    RolloutOrigin origin = rollout.getOrigin();
    return origin == null ? "" : origin.getKind() + " of " + origin.getRollout();
  }

  /** The state of a rollout inside a sentence. */
  static String word(RolloutState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** How the hosts ended that were not upgraded. */
  static String other(Rollout rollout) {
    return List.of(
            count(rollout.getSkipped(), "skipped"),
            count(rollout.getReverted(), "reverted"),
            count(rollout.getQuarantined(), "quarantined"),
            count(rollout.getCancelled(), "cancelled"))
        .stream()
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private static String count(int number, String what) {
    return number == 0 ? "" : number + " " + what;
  }

  /** What vanished from its source's reports is no instance of the host any more. */
  private static String health(Host host) {
    List<Instance> present =
        host.getInstances().stream().filter(instance -> !instance.hasVanishedAt()).toList();
    long healthy =
        present.stream().filter(instance -> instance.getHealth() == HealthState.Healthy).count();
    return healthy + "/" + present.size() + " healthy";
  }

  private static String health(Instance instance) {
    return instance.hasVanishedAt() ? "Vanished" : instance.getHealth().name();
  }

  /** What a host in progress is at, and whether that waits for an answer of people. */
  static String step(HostUpgrade host) {
    if (host.getState() != HostUpgradeState.InProgress || host.getStep() == null) {
      return "";
    }
    boolean asks = host.getReason().contains("; drydock decision answer ");
    return asks ? host.getStep() + ", waits for people" : host.getStep();
  }

  private static String text(@Nullable String text) {
    return Objects.toString(text, "");
  }

  private static String map(Map<String, String> map) {
    return map.entrySet().stream()
        .map(e -> e.getKey() + "=" + e.getValue())
        .sorted()
        .collect(Collectors.joining(","));
  }

  /** A lock that is held for a client that is gone has a word of its own. */
  static String state(Lock lock) {
    boolean gone = lock.getState() == LockState.Held && Boolean.FALSE.equals(lock.isAlive());
    return gone ? "Expired" : lock.getState().name();
  }

  private static String seconds(@Nullable Integer seconds) {
    return seconds == null ? "" : TextFormat.duration(seconds * 1000L);
  }

  static String time(@Nullable Long millis) {
    return millis == null
        ? ""
        : Instant.ofEpochMilli(millis).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
