import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconCircleCheck,
  IconFlag,
  IconHandStop,
  IconLock,
  IconPlayerPlay,
  IconPoint,
  type Icon,
} from "@tabler/icons-react";
import type { FeedEvent } from "@/api/events";
import type { Look } from "@/shared/states";

/** An event as a person reads it. */
export interface EventWords {
  readonly text: string;
  readonly reason: string;
  readonly tone: Look["tone"];
  readonly icon: Icon;
}

type Kind = Omit<EventWords, "text" | "reason"> & { readonly text: (event: FeedEvent) => string };

const said = (event: FeedEvent, field: string): string => {
  const value = event.data[field];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
};

const hosts = (event: FeedEvent): string => {
  const named = event.data.hosts;
  return Array.isArray(named) ? named.join(", ") : "";
};

/** A job is GRANT.STEP.HOST.ROUND, a preflight pre.STEP.ROLLOUT.HOST.ROUND; grants have no dots and steps are words. */
const step = (event: FeedEvent): string => said(event, "job").split(".")[1] ?? "job";

const KINDS: Readonly<Record<string, Kind>> = {
  RolloutCreated: { tone: "progress", icon: IconPlayerPlay, text: (e) => `Started, to release ${said(e, "release")}` },
  RolloutChanged: {
    tone: "progress",
    icon: IconPoint,
    text: (e) => `The rollout is ${said(e, "state")}${said(e, "by") === "" ? "" : `, by ${said(e, "by")}`}`,
  },
  RolloutHostsAdded: { tone: "progress", icon: IconPoint, text: (e) => `Hosts joined, by ${said(e, "by")}` },
  RolloutHostsRemoved: { tone: "off", icon: IconPoint, text: (e) => `Hosts left, by ${said(e, "by")}` },
  RolloutEnded: { tone: "progress", icon: IconFlag, text: (e) => `Ended: ${said(e, "state")}` },
  BatchGranted: { tone: "progress", icon: IconLock, text: (e) => `${hosts(e)} may go down` },
  BatchVoided: { tone: "pending", icon: IconHandStop, text: () => "A proposal came to nothing" },
  BatchTurnedBack: { tone: "warn", icon: IconArrowBackUp, text: (e) => `A batch goes back to ${said(e, "to")}` },
  BatchReclaimed: { tone: "warn", icon: IconArrowBackUp, text: () => "A batch lost its workflow and is reclaimed" },
  BatchChecked: { tone: "pending", icon: IconPoint, text: (e) => `Check ${said(e, "check")}: ${said(e, "verdict")}` },
  PreflightPassed: { tone: "pending", icon: IconPoint, text: (e) => `${e.host ?? ""} could be updated` },
  PreflightFailed: { tone: "warn", icon: IconHandStop, text: (e) => `${e.host ?? ""}: ${said(e, "reason")}` },
  HostUpgradeChanged: {
    tone: "progress",
    icon: IconPoint,
    text: (e) => [said(e, "state"), said(e, "step")].filter(Boolean).join(": "),
  },
  HostUpgraded: { tone: "good", icon: IconCircleCheck, text: (e) => `${e.host ?? ""} is back on the new release` },
  HostSkipped: { tone: "good", icon: IconCircleCheck, text: (e) => `${e.host ?? ""} was on the release already` },
  HostRequeued: {
    tone: "pending",
    icon: IconHandStop,
    text: (e) => `${e.host ?? ""} was given back untouched and waits`,
  },
  HostReverted: { tone: "warn", icon: IconArrowBackUp, text: (e) => `${e.host ?? ""} is back on its old release` },
  HostCancelled: { tone: "off", icon: IconArrowBackUp, text: (e) => `${e.host ?? ""} is back as it was found` },
  HostQuarantined: { tone: "bad", icon: IconAlertTriangle, text: (e) => `${e.host ?? ""} stays held: quarantined` },
  RemediationBegan: { tone: "warn", icon: IconPoint, text: (e) => `${said(e, "step")} failed and is remediated` },
  RemediationTried: {
    tone: "progress",
    icon: IconPoint,
    text: (e) => `Remediation of ${said(e, "step")}: ${said(e, "action")}`,
  },
  RemediationEnded: {
    tone: "progress",
    icon: IconPoint,
    text: (e) => `Remediation of ${said(e, "step")} has ended: ${said(e, "state")}`,
  },
  DrainLate: { tone: "warn", icon: IconAlertTriangle, text: (e) => `${e.host ?? ""} was not drained in time` },
  DecisionAsked: { tone: "warn", icon: IconHandStop, text: (e) => `Waits for people: decision ${said(e, "decision")}` },
  DecisionProposed: {
    tone: "warn",
    icon: IconHandStop,
    text: (e) => `${said(e, "option")} asked by ${said(e, "by")}, waits for a second person`,
  },
  DecisionAnswered: { tone: "progress", icon: IconPoint, text: (e) => `${said(e, "option")}, by ${said(e, "by")}` },
  PhaseOverdue: { tone: "warn", icon: IconAlertTriangle, text: (e) => `${said(e, "phase")} takes too long` },
  PhaseGoesOn: { tone: "good", icon: IconPoint, text: (e) => `${said(e, "phase")} goes on` },
  JobPublished: { tone: "pending", icon: IconPoint, text: (e) => `${step(e)} waits for a consumer` },
  JobClaimed: { tone: "progress", icon: IconPoint, text: (e) => `${step(e)} runs at ${said(e, "consumer")}` },
  JobClaimLost: { tone: "warn", icon: IconPoint, text: (e) => `${step(e)}: its consumer fell silent` },
  JobDone: { tone: "good", icon: IconPoint, text: (e) => `${step(e)} is done` },
  JobFailed: { tone: "bad", icon: IconPoint, text: (e) => `${step(e)} failed` },
  JobUnknown: { tone: "warn", icon: IconPoint, text: (e) => `${step(e)} ended, nobody can tell how` },
  JobExpired: { tone: "bad", icon: IconPoint, text: (e) => `${step(e)} took too long` },
};

/** That a host is not on the release yet is the usual answer to a Verify, no failure. */
const NOT_YET: Kind = { tone: "pending", icon: IconPoint, text: () => "Not on the release yet" };

export function eventWords(event: FeedEvent): EventWords {
  const kind = event.kind === "JobFailed" && step(event) === "Verify" ? NOT_YET : KINDS[event.kind];
  const reason = said(event, "reason") || said(event, "message");
  return kind
    ? { ...kind, text: kind.text(event), reason }
    : { text: event.kind, reason, tone: "pending", icon: IconPoint };
}
