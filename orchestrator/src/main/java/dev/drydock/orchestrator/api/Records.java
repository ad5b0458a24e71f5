package dev.drydock.orchestrator.api;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutMode;
import dev.drydock.api.RolloutState;
import dev.drydock.orchestrator.store.HostUpgradeRow;
import dev.drydock.orchestrator.store.RolloutRow;
import dev.drydock.proto.Json;

/** Rows in the words of the wire. */
final class Records {
  private Records() {}

  static Rollout rollout(RolloutRow row) {
    Rollout rollout =
        new Rollout()
            .setId(row.id())
            .setRelease(row.release())
            .setMode(RolloutMode.valueOf(row.mode()))
            .setState(RolloutState.valueOf(row.state()))
            .setReason(row.reason())
            .setRequester(row.requester())
            .setTeam(row.team())
            .setHostCount(row.hosts())
            .setPending(row.count(HostUpgradeState.Pending))
            .setInProgress(row.count(HostUpgradeState.InProgress))
            .setUpgraded(row.count(HostUpgradeState.Upgraded))
            .setSkipped(row.count(HostUpgradeState.Skipped))
            .setReverted(row.count(HostUpgradeState.Reverted))
            .setQuarantined(row.count(HostUpgradeState.Quarantined))
            .setCancelled(row.count(HostUpgradeState.Cancelled))
            .setCreatedAt(row.createdAt().toEpochMilli());
    row.endedAt().ifPresent(at -> rollout.setEndedAt(at.toEpochMilli()));
    return rollout;
  }

  static HostUpgrade hostUpgrade(HostUpgradeRow row) {
    StringMap facts = new StringMap();
    Json.readTree(row.facts()).forEach((name, value) -> facts.put(name, String.valueOf(value)));
    HostUpgrade upgrade =
        new HostUpgrade()
            .setRollout(row.rollout())
            .setHost(row.host())
            .setState(HostUpgradeState.valueOf(row.state()))
            .setReason(row.reason())
            .setFacts(facts);
    row.step().ifPresent(upgrade::setStep);
    row.grant().ifPresent(upgrade::setGrant);
    row.startedAt().ifPresent(at -> upgrade.setStartedAt(at.toEpochMilli()));
    row.endedAt().ifPresent(at -> upgrade.setEndedAt(at.toEpochMilli()));
    return upgrade;
  }
}
