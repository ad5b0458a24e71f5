package dev.drydock.cli;

import dev.drydock.api.RepairApproval;

/** The table of what a person approves before it is tried on a host. */
final class RepairViews {
  static final Table<RepairApproval> APPROVALS =
      Table.<RepairApproval>of(RepairApproval::getId)
          .column("QUESTION", RepairApproval::getId)
          .column("ROLLOUT", RepairApproval::getRollout)
          .column("HOST", RepairApproval::getHost)
          .column("ACTION", RepairApproval::getAction)
          .column("STATE", approval -> approval.getState().name())
          .column(
              "ANSWER",
              approval ->
                  approval.hasAnswer()
                      ? approval.getAnswer() + " by " + approval.getAnsweredBy()
                      : "")
          .column("FOUND", RepairApproval::getFound)
          .wide("REASON", RepairApproval::getReason)
          .wide("ASKED", approval -> Views.time(approval.getAskedAt()))
          .wide("EXPIRES", approval -> Views.time(approval.getExpiresAt()))
          .wide("ANSWERED", approval -> Views.time(approval.getAnsweredAt()))
          .wide("BECAUSE", RepairApproval::getAnswerReason);

  private RepairViews() {}
}
