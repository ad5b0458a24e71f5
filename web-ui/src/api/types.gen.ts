// Made from proto/src/main/pegasus by `make types`; edit the schemas, not this file.

/** What travels of a record whose defaults are D. */
type Wire<T, D> = Omit<T, keyof D> & Partial<Pick<T, keyof D & keyof T>>;

/** For which span alerts about a host say only that it is being worked on. Milliseconds since 1970. */
export interface AlertSilence {
  readonly host: string;
  readonly begin: number;
  /** Absent while the work goes on. */
  readonly end?: number;
}

/** What a controller answers. Every instance asked about is in exactly one of the lists, those of a group in the same. */
export interface ApprovalAnswer {
  readonly decision: ApprovalDecision;
  /** May go down together with each other; those that should go first come first. */
  readonly approved: readonly string[];
  /** May not go down. */
  readonly denied: readonly string[];
  /** May go down soon. */
  readonly waiting: readonly string[];
  /** Why not everything was approved. */
  readonly reasons: readonly ApprovalReason[];
  /** When to ask about the rest again, in seconds from 2 to 3600. */
  readonly retryAfterSeconds: number;
  /** When the approval ends, in milliseconds since the epoch, by at most an hour from now; a minute from now if absent. */
  readonly expiresAt?: number;
}
export const ApprovalAnswerDefaults = { approved: [], denied: [], waiting: [], reasons: [], retryAfterSeconds: 5 } satisfies Partial<ApprovalAnswer>;
export type ApprovalAnswerWire = Wire<ApprovalAnswer, typeof ApprovalAnswerDefaults>;

/** What a controller is asked: which of these groups may go down together while those others are down? */
export interface ApprovalAsk {
  /** In the order in which they are to be granted. */
  readonly groups: readonly ApprovalGroup[];
  /**
   * Instances of the same applications to be taken for down whatever is answered: those on hosts that somebody holds, and
   * those not seen to be up. May name some of the groups, which then are down already.
   */
  readonly presumedDown: readonly InstanceTarget[];
}

/**
 * A controller's answer in one word; the lists have to agree with it.
 * - Approved: Everything asked about may go down together.
 * - Partial: Some of it.
 * - Denied: Nothing, and something is denied.
 * - Wait: Nothing yet.
 */
export const ApprovalDecisionValues = ["Approved", "Partial", "Denied", "Wait"] as const;
export type ApprovalDecision = (typeof ApprovalDecisionValues)[number];

/** Instances that go down together or not at all: what one batch takes, with all-or-none batches whole fault zones. */
export interface ApprovalGroup {
  readonly hosts: readonly string[];
  readonly instances: readonly InstanceTarget[];
  /** Whether the batch holds its hosts already: this is the last question before they are undeployed. */
  readonly begun: boolean;
}

/** Why something was not approved. */
export interface ApprovalReason {
  /** Stable, for programs, such as ReplicaDown. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;
}

/** One thing the auditor found. */
export interface AuditExhibit {
  /** What it is about, by kind and name: host/h01, grant/g7, job/…, application/…, rollout/r1. */
  readonly object: string;
  /** When it happened, milliseconds since 1970; absent where that is not known. */
  readonly at?: number;
  /** What is wrong, in one sentence with the numbers. */
  readonly says: string;
  /** The rows it rests on. */
  readonly evidence: readonly string[];
}
export const AuditExhibitDefaults = { evidence: [] } satisfies Partial<AuditExhibit>;
export type AuditExhibitWire = Wire<AuditExhibit, typeof AuditExhibitDefaults>;

/** What the logs of a rollout say of one invariant. */
export interface AuditFinding {
  /** I1 to I8. */
  readonly invariant: string;
  /** Its name in a few words. */
  readonly title: string;
  readonly verdict: AuditVerdict;
  /** How many facts were judged; never 0 when the verdict is Held. */
  readonly judged: number;
  /** How many of them contradict it. */
  readonly violated: number;
  /** The first of these. */
  readonly violations: readonly AuditExhibit[];
  /** How often it came to be broken later, by what nobody could know before. No violations. */
  readonly breached: number;
  /** The first of these, each with its cause. */
  readonly breaches: readonly AuditExhibit[];
  /** The first reasons for which something could not be judged. */
  readonly gaps: readonly string[];
}
export const AuditFindingDefaults = { violated: 0, violations: [], breached: 0, breaches: [], gaps: [] } satisfies Partial<AuditFinding>;
export type AuditFindingWire = Wire<AuditFinding, typeof AuditFindingDefaults>;

/** What the logs of a rollout say of each invariant, recomputed by the auditor. */
export interface AuditReport {
  readonly rollout: string;
  /** When the logs were read. Of a rollout that still runs it says what is known so far. */
  readonly at: number;
  /** One for each invariant, in their order. */
  readonly findings: readonly AuditFinding[];
}

/**
 * What the logs say of an invariant.
 * - Held: It was judged, and nothing speaks against it.
 * - Violated: At least one fact contradicts it.
 * - Unknown: Nothing was found, but something that would be needed is not there, or nothing was judged.
 */
export const AuditVerdictValues = ["Held", "Violated", "Unknown"] as const;
export type AuditVerdict = (typeof AuditVerdictValues)[number];

/**
 * Why somebody breaks the lock of another.
 * - HolderGone: Whoever holds it is gone and will not come back.
 * - HostLost: The host is destroyed or replaced.
 * - Emergency: The host is needed now, whatever is going on there.
 * - Mistake: The lock was taken by mistake.
 */
export const BreakGlassReasonValues = ["HolderGone", "HostLost", "Emergency", "Mistake", "Other"] as const;
export type BreakGlassReason = (typeof BreakGlassReasonValues)[number];

/** Packages of hosts by what became of them: one package that was upgraded on three hosts counts three. */
export interface ChangeCounts {
  readonly upgraded: number;
  readonly downgraded: number;
  readonly installed: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** A job that is now this consumer's until the lease ends. */
export interface ClaimedJob {
  readonly job: Job;
  /** Secret of this claim: heartbeat and complete must carry it. */
  readonly claim: string;
  readonly attempt: number;
  /** Fencing token EPOCH.HOLD.ROUND.ATTEMPT; every effect on the host carries it. */
  readonly token: string;
  /** Counted by the consumer from before it sent the request. */
  readonly leaseSeconds: number;
}

/** One CVE over the hosts of a rollout. The six counts add up to the rollout's hostCount. */
export interface CveReport {
  /** The id of the advisory when that names no CVE. */
  readonly cve: string;
  /** Ids of the advisories that name it. */
  readonly advisories: readonly string[];
  /** Names of the packages that these advisories are about. */
  readonly packages: readonly string[];
  /** Hosts that had or have one of these packages; 0 says that the advisory may use other names, such as those of source packages. */
  readonly installedOn: number;
  /** Affected before and not after. */
  readonly closed: number;
  /** Affected before and after. */
  readonly stillOpen: number;
  /** Not affected before, but after. */
  readonly opened: number;
  /** One of the packages is there, and affected neither before nor after. */
  readonly notAffected: number;
  /** No advisory says anything of them: they have none of the packages, or another operating system than is meant. */
  readonly matchedNothing: number;
  /** Why that is so, in one sentence; empty where it is so of no host. */
  readonly matchedNothingBecause: string;
  /** Hosts without complete facts. */
  readonly unknown: number;
  /** The first hosts, by name, that are affected after; at most 20. */
  readonly openHosts: readonly string[];
}
export const CveReportDefaults = { matchedNothing: 0, matchedNothingBecause: "" } satisfies Partial<CveReport>;
export type CveReportWire = Wire<CveReport, typeof CveReportDefaults>;

/** What people are asked about hosts of a batch. All hosts of the batch wait with them, and count as down. */
export interface Decision {
  /** GRANT.NUMBER */
  readonly id: string;
  readonly kind: DecisionKind;
  readonly rollout: string;
  readonly grant: string;
  readonly hosts: readonly string[];
  /** What the hosts were at. */
  readonly step: string;
  readonly reason: string;
  /** What is known besides, by name: goesBack; onTimeout and pace of a drain; action and found of a repair. */
  readonly facts: Readonly<Record<string, string>>;
  readonly state: DecisionState;
  readonly askedAt: number;
  /** When nobody is waited for any more; absent where it waits for as long as it takes. */
  readonly expiresAt?: number;
  /** What happens if nobody answers. */
  readonly otherwise: string;
  readonly choices: readonly DecisionChoice[];
  /** What was asked for and waits for a second person, or had one. */
  readonly proposed?: DecisionOption;
  readonly proposedBy?: string;
  readonly answer?: DecisionOption;
  readonly answeredBy?: string;
  readonly answeredAt?: number;
  readonly answerReason: string;
}
export const DecisionDefaults = { answerReason: "" } satisfies Partial<Decision>;
export type DecisionWire = Wire<Decision, typeof DecisionDefaults>;

/** One of the answers to a decision. */
export interface DecisionChoice {
  readonly option: DecisionOption;
  /** What happens then. */
  readonly consequence: string;
  /** Who may answer so. */
  readonly needs: string;
  /** Who has to say the same before it takes effect; absent where one person is enough. */
  readonly needsSecond?: string;
}

/**
 * What people are asked about.
 * - BlockedBatch: Hosts of a batch failed.
 * - LateDrain: Hosts of a batch were not drained in time.
 * - RepairApproval: Something is to be tried on a host.
 */
export const DecisionKindValues = ["BlockedBatch", "LateDrain", "RepairApproval"] as const;
export type DecisionKind = (typeof DecisionKindValues)[number];

/**
 * What people may answer.
 * - Retry: Try what failed once more.
 * - GoOn: Quarantine the hosts that failed; the others go on.
 * - Abort: All hosts go back; only before an update began.
 * - Wait: Drain the hosts again, for as long as before.
 * - Requeue: Bring the hosts back, and try later.
 * - Force: Stop what is left. A second person has to approve it.
 * - Quarantine: Keep the hosts aside until people have looked.
 * - Approve: Try it.
 * - Refuse: Do not try it.
 */
export const DecisionOptionValues = ["Retry", "GoOn", "Abort", "Wait", "Requeue", "Force", "Quarantine", "Approve", "Refuse"] as const;
export type DecisionOption = (typeof DecisionOptionValues)[number];

/**
 * How far a decision has come.
 * - Open: Waits for an answer.
 * - AwaitsApproval: Waits for a second person to say the same; any other answer is welcome as well.
 * - Expired: Nobody answered in time.
 * - Over: Its batch went back or ended before it was answered, or does without it.
 */
export const DecisionStateValues = ["Open", "AwaitsApproval", "Answered", "Expired", "Over"] as const;
export type DecisionState = (typeof DecisionStateValues)[number];

/** What a host that is drained still has. */
export interface DrainLeft {
  readonly count: number;
  /** Of what, in the plural: requests, connections, instances. */
  readonly what: string;
}

/** One thing that is wrong with a request. */
export interface ErrorDetail {
  /** The field or object, such as spec.capacity[0].maxUnavailable or hosts[3]. */
  readonly path: string;
  /** Line in the submitted text, counted from 1; absent when the request has no text. */
  readonly line?: number;
  /** What is wrong and what to do, in one sentence. */
  readonly message: string;
}

/** Something that happened, written in the transaction of the change it tells about. */
export interface Event {
  /** Its number in the feed, in decimal digits; to be handed back as it is to read what came after. */
  readonly cursor: string;
  /** When it was written, milliseconds since 1970; a later event may carry an earlier time. */
  readonly at: number;
  /** One of EventKind. A text, so that an older reader can skip a kind it does not know. */
  readonly kind: string;
  readonly rollout?: string;
  readonly host?: string;
  /** Particulars by kind: the text of one JSON object. */
  readonly data: string;
}
export const EventDefaults = { data: "{}" } satisfies Partial<Event>;
export type EventWire = Wire<Event, typeof EventDefaults>;

/**
 * What an event tells. Names are stable: programs match on them. New ones are added; a reader skips those it does not
 * know. With each kind: the fields of its data.
 * - RolloutCreated: A rollout was submitted: release, hosts, reason. Its host upgrades are all Pending.
 * - RolloutChanged: A rollout took another state that is not its end: state, by, reason.
 * - CohortHalted: Too many hosts of a hardware class with an application failed, and no further one begins: policy, hardwareClass, application, failed, ended, reason.
 * - CohortsReleased: People let the halted cohorts of the rollout go on: by.
 * - RolloutHostsAdded: Hosts joined the rollout: hosts, by, reason.
 * - RolloutHostsRemoved: Hosts that had not begun left the rollout: hosts, by, reason.
 * - RolloutEnded: No host of the rollout is pending or in progress any more: state.
 * - HostUpgradeChanged: A host upgrade took another state or step: state, step (absent while none), reason, grant (absent while none).
 * - HostUpgraded: The host is back in service on the new release: grant, reason.
 * - HostSkipped: The host was on the release already, and nothing was done to it: grant, reason.
 * - HostRequeued: The host was given back untouched and waits again: grant, reason.
 * - HostReverted: The host was brought back into service on its old release: grant, reason.
 * - HostCancelled: The host was brought back into service because its rollout was aborted: grant, reason.
 * - HostQuarantined: The host could not be returned to service and stays held: grant, reason.
 * - BatchGranted: The grantor took hosts for a batch: grant, hosts, hold.
 * - BatchVoided: A proposed grant came to nothing: grant, reason.
 * - BatchChecked: A check of a granted batch was decided: grant, check, round, verdict, reason.
 * - BatchTurnedBack: A batch goes back: grant, to (Requeued, Reverted or Cancelled), reason.
 * - BatchReclaimed: The workflow of a batch was lost in this run; its hosts are read and brought back: grant, run, reason.
 * - TicketQueued: A ticket took its place in the queue of the host: ticket, holder, reason.
 * - TicketLeft: A ticket left the queue of the host without a lock: ticket, holder, reason.
 * - LockGranted: The host is locked: lock, kind, holder, reason, token.
 * - LockLapsed: The client of the host's session lock died, or its declared maximum is over: lock, holder.
 * - LockQuarantined: The host's lock became a quarantine: lock, holder, reason.
 * - LockEnded: The host is not locked any more: lock, by, reason.
 * - FleetFrozen: The fleet brake was pulled: by, reason.
 * - FleetUnfrozen: The fleet brake was lifted: by, reason.
 * - LockHistoryGap: Changes of locks between two revisions of etcd were lost: from, to.
 * - PreflightPassed: The host could be updated, and may be granted for a while: job, attempt.
 * - PreflightFailed: It could not, and was not touched; waiting can mend it, or only people can: job, attempt, mend (Time or People), cause, reason.
 * - JobPublished: A job is on the board: job.
 * - JobClaimed: A consumer works on the job: job, attempt, consumer.
 * - JobClaimLost: The consumer fell silent and the job is on the board again: job, attempt.
 * - JobDone: The job ended well: job, attempt, message.
 * - JobFailed: The job ended badly: job, attempt, message.
 * - JobUnknown: The job ended and its consumer cannot tell how: job, attempt, message.
 * - JobWaited: A hook asked to be asked again: job, attempt, message.
 * - JobVetoed: A hook turned its batch back: job, attempt, message.
 * - JobExpired: The board ended the job, its attempts or its time used up: job, attempt.
 * - DrainLate: The host was not drained in time: grant, onTimeout, pace, reason.
 * - DecisionAsked: People are asked to decide about the host, or reminded: grant, decision, kind, step, again (whether reminded), expiresAt (ms, absent while none), reason.
 * - DecisionProposed: A first person asked for something that a second one has to approve: grant, decision, kind, option, by, reason.
 * - DecisionAnswered: It was decided: grant, decision, kind, option, by, reason.
 * - RemediationBegan: A step failed on the host, and what its policies say is tried before it is quarantined: grant, step, reason.
 * - RemediationTried: Something of that was begun: grant, step, action, job.
 * - RemediationEnded: That ended: grant, step, state (Resumed, Exhausted or Left), reason, signature (what the host had; empty or "unknown" where nobody knows).
 * - PhaseOverdue: A phase on the host takes longer than it may or usually does: grant, phase, cause, seconds, cost, reason.
 * - PhaseGoesOn: It ended well, or somebody has begun it: grant, phase, reason.
 * - ApprovalAsked: A team's controller was asked what may go down: job, topic, round.
 * - ApprovalAnswered: It answered: job, topic, round, decision.
 * - ApprovalMissed: It did not answer in time: job, topic, round, reason.
 * - ForeignUpdate: Packages of the host were changed while it was in nobody's hands: after (ms, when they were last known to be as before), before (ms, when they were found changed), reason.
 * - RecoveryStarted: A store was restored: nothing is granted or claimed until hosts were read back: behind, reason.
 * - RecoveryEnded: Every host was read back, and a new epoch begins: behind, epoch, hosts (how many).
 * - AuditViolation: The auditor found that an invariant was violated: invariant, object, says, evidence.
 * - AuditGap: Events were gone before they were audited, or the auditor failed over a rollout: what it would have found is Unknown: says.
 */
export const EventKindValues = ["RolloutCreated", "RolloutChanged", "CohortHalted", "CohortsReleased", "RolloutHostsAdded", "RolloutHostsRemoved", "RolloutEnded", "HostUpgradeChanged", "HostUpgraded", "HostSkipped", "HostRequeued", "HostReverted", "HostCancelled", "HostQuarantined", "BatchGranted", "BatchVoided", "BatchChecked", "BatchTurnedBack", "BatchReclaimed", "TicketQueued", "TicketLeft", "LockGranted", "LockLapsed", "LockQuarantined", "LockEnded", "FleetFrozen", "FleetUnfrozen", "LockHistoryGap", "PreflightPassed", "PreflightFailed", "JobPublished", "JobClaimed", "JobClaimLost", "JobDone", "JobFailed", "JobUnknown", "JobWaited", "JobVetoed", "JobExpired", "DrainLate", "DecisionAsked", "DecisionProposed", "DecisionAnswered", "RemediationBegan", "RemediationTried", "RemediationEnded", "PhaseOverdue", "PhaseGoesOn", "ApprovalAsked", "ApprovalAnswered", "ApprovalMissed", "ForeignUpdate", "RecoveryStarted", "RecoveryEnded", "AuditViolation", "AuditGap"] as const;
export type EventKind = (typeof EventKindValues)[number];

/** How far a reader of the event feed has come. */
export interface FeedPosition {
  /** The cursor to go on with: also past events that were left out by a filter. */
  readonly cursor: string;
}

/** The packages of a host changed while it was in nobody's hands: between two readings, milliseconds since 1970. */
export interface ForeignUpdate {
  readonly host: string;
  /** When they were last known to be as before. */
  readonly after: number;
  /** When they were found changed. */
  readonly before: number;
}

/** The fleet brake. While it is pulled nobody is granted a host; what is held stays held and ends as it would. */
export interface Freeze {
  readonly frozen: boolean;
  /** Who pulled it; absent while the fleet is not frozen, like the other fields. */
  readonly by?: string;
  readonly reason?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

/** Pulls the fleet brake. */
export interface FreezeRequest {
  readonly reason: string;
}

/** As Redfish grades the health of machines and the events in their logs. */
export const HealthSeverityValues = ["OK", "Warning", "Critical"] as const;
export type HealthSeverity = (typeof HealthSeverityValues)[number];

/**
 * The least that is good of a host after its update, beside packages and kernel. What is absent is not asked for; what is
 * asked for and cannot be read makes the host's health Unknown.
 */
export interface HealthSpec {
  readonly memoryMib?: number;
  readonly processors?: number;
  /** How many disks there are. */
  readonly disks?: number;
  /** Percent that have to be free for root, in bytes and in inodes, by mount point. */
  readonly mounts: Readonly<Record<string, number>>;
  /** Megabits a second of network cards that have to be up, by name; 0 for any. */
  readonly cards: Readonly<Record<string, number>>;
  /** Services that have to run, beside the applications of the host. */
  readonly services: readonly string[];
  readonly bmc?: MachineSpec;
}
export const HealthSpecDefaults = { mounts: {}, cards: {}, services: [] } satisfies Partial<HealthSpec>;
export type HealthSpecWire = Wire<HealthSpec, typeof HealthSpecDefaults>;

/**
 * What an observation says about an instance. Anything but Healthy counts as not up.
 * - Unknown: The reporter could not tell: never counted as up.
 */
export const HealthStateValues = ["Healthy", "Unhealthy", "Unknown"] as const;
export type HealthState = (typeof HealthStateValues)[number];

/** What a hook is told. */
export interface HookCall {
  readonly name: string;
  readonly stage: HookStage;
  readonly scope: HookScope;
  /** An instance, a host or, of the scope Batch, the grant. */
  readonly target: string;
  /** The hosts it is about that are still in the batch. */
  readonly hosts: readonly string[];
  /** The policy that wants it, in the version that was in force when the hosts of the batch were cordoned. */
  readonly policy: string;
  readonly policyVersion: number;
  readonly team: string;
  readonly order: number;
  readonly params: Readonly<Record<string, string>>;
  readonly intent: HookIntent;
  /** What its pre hook said last; of a pre hook what it said itself when it asked to be asked again. */
  readonly state?: string;
}
export const HookCallDefaults = { params: {} } satisfies Partial<HookCall>;
export type HookCallWire = Wire<HookCall, typeof HookCallDefaults>;

/**
 * What becomes of what the host carries.
 * - RestartKeepData: It is started anew with its data.
 * - ReimageKeepData: The system is installed anew, data stay.
 * - ReimageLoseData: All is installed anew.
 * - Remove: The host does not come back.
 */
export const HookIntentValues = ["RestartKeepData", "ReimageKeepData", "ReimageLoseData", "Remove"] as const;
export type HookIntent = (typeof HookIntentValues)[number];

/** Whom a hook is called for. */
export const HookScopeValues = ["Instance", "Host", "Batch"] as const;
export type HookScope = (typeof HookScopeValues)[number];

/**
 * When a hook runs.
 * - BeforeUndeploy: Before instances are taken out of rotation: the only one that may veto.
 * - AfterUndeploy: The instances are stopped; nothing was changed on the host.
 * - BeforeDeploy: The host is healthy; its instances are not started.
 * - AfterDeploy: Back in rotation; the host is held until it is done.
 */
export const HookStageValues = ["BeforeUndeploy", "AfterUndeploy", "BeforeDeploy", "AfterDeploy"] as const;
export type HookStage = (typeof HookStageValues)[number];

/** One machine as Drydock knows it. */
export interface Host {
  readonly name: string;
  readonly address: string;
  readonly scheduler: string;
  readonly hardwareClass: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The source that reports this host. */
  readonly source: string;
  /** Another one after every start of the host; absent when no source ever told. */
  readonly bootId?: string;
  /** When it was last reported, milliseconds since the epoch, by the server's clock. */
  readonly observedAt: number;
  /** Set when the host vanished from its source's full report. */
  readonly vanishedAt?: number;
  /** Why people do not expect the host back; absent while they do. Nothing waits for a host that is written off. */
  readonly writtenOff?: string;
  /** Release verified at the last successful upgrade by Drydock; absent when never upgraded. */
  readonly release?: string;
  /** Of the upgrade under way on this host; absent when there is none, also while one waits for its grant. */
  readonly phase?: HostPhase;
  readonly instances: readonly Instance[];
  /** The lock on this host, if any. */
  readonly lock?: Lock;
}
export const HostDefaults = { instances: [] } satisfies Partial<Host>;
export type HostWire = Wire<Host, typeof HostDefaults>;

/** Something that was decided about a host, with the reason that was given then. */
export interface HostDecision {
  /** When, milliseconds since 1970; of locks of other clients: when it was written down, moments later. */
  readonly at: number;
  /** One of HostDecisionKind. A text, so that an older reader can skip one it does not know. */
  readonly decision: string;
  /** The rollout it was about; absent for other clients. */
  readonly rollout?: string;
  /** The grant, ticket or lock; absent while a rollout waits for a grant. */
  readonly lock?: string;
  /** Who did it or wanted it; absent for what the grantor decided of a rollout. */
  readonly by?: string;
  readonly reason: string;
  /** Each rule that was looked at, with its numbers; empty where a sentence alone was kept. */
  readonly findings: readonly HostFinding[];
}
export const HostDecisionDefaults = { reason: "", findings: [] } satisfies Partial<HostDecision>;
export type HostDecisionWire = Wire<HostDecision, typeof HostDecisionDefaults>;

/**
 * What was decided about a host. New ones are added; a reader skips those it does not know.
 * - Infeasible: A submission was refused as a whole, and this host was a reason.
 * - Waiting: A rollout waits for the host.
 * - NotTouched: A rollout did not take the host, as it could not be updated; it was not touched.
 * - Granted: The host was granted to a batch or another client.
 * - Confirmed: A check let a batch go on: after its cordon, or right before its first undeploy.
 * - TurnedBack: A check turned a batch back.
 * - NotDrained: The host was not drained in time; with what was decided then, once it is.
 * - Asked: People were asked what becomes of it, or decided it.
 * - Overdue: A phase took longer than it may or usually does; who was waited for, and who waited because of it.
 * - Remediated: A step failed on the host: something that was tried there, or how all of that ended.
 * - ForeignUpdate: Nothing was decided: its packages were changed while it was in nobody's hands.
 * - Queued: Another client took a place in the queue.
 * - Refused: Another client was refused.
 * - Left: Another client left the queue.
 * - Lapsed: A lock's client died or its maximum is over.
 */
export const HostDecisionKindValues = ["Infeasible", "Waiting", "NotTouched", "Granted", "Confirmed", "Opened", "TurnedBack", "NotDrained", "Asked", "Overdue", "Remediated", "ForeignUpdate", "Queued", "Refused", "Left", "Lapsed", "Quarantined", "Ended"] as const;
export type HostDecisionKind = (typeof HostDecisionKindValues)[number];

/** What one rule said of a request. */
export interface HostFinding {
  /** Empty where the finding is about the host itself. */
  readonly application: string;
  readonly rule: string;
  /** Instances that should exist. */
  readonly desired: number;
  readonly up: number;
  /** Instances the request takes. */
  readonly taken: number;
  /** Instances that must stay up; 0 when the rule is not about their number. */
  readonly required: number;
  readonly allows: boolean;
  readonly detail: string;
}
export const HostFindingDefaults = { application: "", rule: "", desired: 0, up: 0, taken: 0, required: 0 } satisfies Partial<HostFinding>;
export type HostFindingWire = Wire<HostFinding, typeof HostFindingDefaults>;

/**
 * How far the upgrade under way on a host is. A host that is only read (the step Verify) is in none.
 * - Drain: From the grant to the last instance stopped: the steps Cordon, Confirm, BeforeUndeploy, Open and Drain.
 * - Upgrade: Without instances: the steps AfterUndeploy, Update, Health and BeforeDeploy.
 * - Recover: Back into service, also of a host that is not upgraded after all: the steps Recover, AfterDeploy, Uncordon and End.
 */
export const HostPhaseValues = ["Drain", "Upgrade", "Recover"] as const;
export type HostPhase = (typeof HostPhaseValues)[number];

/** One host as its scheduler adapter reports it. */
export interface HostReport {
  /** Unique name of the host. */
  readonly name: string;
  /** Address at which executors reach the host, an IP address or DNS name. */
  readonly address: string;
  /** Name of the scheduler that places instances on this host; the topic of its jobs is scheduler/NAME. */
  readonly scheduler: string;
  readonly hardwareClass: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Another one after every start of the host; absent while the source cannot tell. */
  readonly bootId?: string;
}
export const HostReportDefaults = { hardwareClass: "default", labels: {} } satisfies Partial<HostReport>;
export type HostReportWire = Wire<HostReport, typeof HostReportDefaults>;

/** The record of one host's way through a rollout. */
export interface HostUpgrade {
  readonly rollout: string;
  readonly host: string;
  readonly state: HostUpgradeState;
  /**
   * The step that runs now or ran last: Cordon, Confirm, Open, Drain, Update, Health, Recover, End, or a stage of hooks
   * with those that run there, such as "BeforeUndeploy: move-leaders"; absent before the grant.
   */
  readonly step?: string;
  readonly grant?: string;
  /** Why it waits, was reverted or was quarantined. */
  readonly reason: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Facts reported by executors, such as bootIdBefore, bootIdAfter, kernel. */
  readonly facts: Readonly<Record<string, string>>;
}
export const HostUpgradeDefaults = { reason: "", facts: {} } satisfies Partial<HostUpgrade>;
export type HostUpgradeWire = Wire<HostUpgrade, typeof HostUpgradeDefaults>;

/** Where one host stands in a rollout. The last five are final. */
export const HostUpgradeStateValues = ["Pending", "InProgress", "Upgraded", "Skipped", "Reverted", "Quarantined", "Cancelled"] as const;
export type HostUpgradeState = (typeof HostUpgradeStateValues)[number];

/** Hosts a report knows too little of, for one reason. */
export interface IncompleteHosts {
  readonly state: HostUpgradeState;
  /** What is missing or wrong. */
  readonly reason: string;
  /** By name. */
  readonly hosts: readonly string[];
}

/** One instance with its latest accepted observation. */
export interface Instance {
  readonly id: string;
  readonly application: string;
  readonly host: string;
  readonly zone: string;
  readonly health: HealthState;
  readonly detail: string;
  readonly observedAt: number;
  readonly mark: number;
  readonly vanishedAt?: number;
  /** How much it counts in rules about capacity, in units of its team. */
  readonly capacity?: number;
}

/** One running copy of an application as observed by a reporter. */
export interface InstanceReport {
  /** Unique and stable id, such as web@h01. */
  readonly id: string;
  readonly application: string;
  readonly host: string;
  /** The fault zone of the application this instance belongs to. */
  readonly zone: string;
  readonly health: HealthState;
  /** Why the instance is not healthy; empty when it is. */
  readonly detail: string;
  /** When the oldest source of this observation was read, in milliseconds since the epoch. */
  readonly observedAt: number;
  /** How much it counts in rules about capacity, in units of its team such as cores: from 1 to 10000. */
  readonly capacity: number;
}
export const InstanceReportDefaults = { detail: "", capacity: 1 } satisfies Partial<InstanceReport>;
export type InstanceReportWire = Wire<InstanceReport, typeof InstanceReportDefaults>;

/** An instance a job concerns. */
export interface InstanceTarget {
  readonly id: string;
  readonly application: string;
  readonly zone: string;
}

/** Hosts and instances as one source saw them, under a mark fetched before it began to read. */
export interface InventoryReport {
  /** Who reports. A source owns what it reports: what vanishes from a full report is marked as vanished. */
  readonly source: string;
  /** The server sequence fetched by the action "mark" before reading began; a lower mark than the last accepted one is ignored. */
  readonly mark: number;
  /** Whether this is the full set of the source, or only what changed. */
  readonly full: boolean;
  readonly hosts: readonly HostReport[];
  readonly instances: readonly InstanceReport[];
}
export const InventoryReportDefaults = { hosts: [], instances: [] } satisfies Partial<InventoryReport>;
export type InventoryReportWire = Wire<InventoryReport, typeof InventoryReportDefaults>;

/**
 * A unit of work: unique by grant, step, host and round. Two steps are no part of a grant. An Approve is unique by topic and round. A Preflight comes before
 * the grant and is unique by rollout, host and round. It takes no capacity of the host, and its consumer leaves the host to whoever has its lock.
 */
export interface Job {
  /** GRANT.STEP.HOST.ROUND; ask.Approve.TOPIC.ROUND; pre.Preflight.ROLLOUT.HOST.ROUND */
  readonly id: string;
  /** Empty for Preflight, and for Approve, of which rollout, host and address are empty as well. */
  readonly grant: string;
  readonly rollout: string;
  readonly step: JobStep;
  readonly topic: string;
  /** Of a Hook or Unhook for a batch, the first of its hosts. */
  readonly host: string;
  readonly address: string;
  /**
   * Counts over all steps of a grant on a host (Cordon 1, Drain 2, …): hosts compare tokens as (epoch, hold, round,
   * attempt), so a later step must have a higher round, or it would be refused after an earlier step's second attempt.
   * Of a Preflight: counts the preflights of the rollout on the host. Their tokens have hold 0, so those of every batch are newer.
   */
  readonly round: number;
  readonly state: JobState;
  readonly attempt: number;
  /** Instances known on the host when the job was published. */
  readonly instances: readonly InstanceTarget[];
  /** Package family of the host: apt or dnf. */
  readonly osFamily: string;
  /** Hardware class of the host; empty where nobody tells. */
  readonly hardwareClass: string;
  /** The release to reach; present for Preflight, Verify, Update, Health and Repair. */
  readonly release?: Release;
  /** Whether packages may go to older versions: only an Update, and the Preflight before it, that takes a host back: of a revert or a retry of one. */
  readonly downgrade: boolean;
  /** Of a claimed Health: what the host has to pass beside all else, names of checks that the host operator knows; of an Update or Preflight: what it would have to pass then. */
  readonly checks: readonly string[];
  /** Facts of earlier steps of this batch for this host, such as bootIdBefore, and what earlier attempts have noted. */
  readonly facts: Readonly<Record<string, string>>;
  /** How long the job may take, in seconds from the claim; a hook from its first claim on. */
  readonly deadlineSeconds: number;
  /** Of a claimed job other than Approve: what is left of that, in seconds from the claim. */
  readonly secondsLeft?: number;
  /** Of a Drain: how long policies let the host take to empty, in seconds from the claim; the deadline leaves more. */
  readonly drainSecondsMax?: number;
  /** Of a Drain: what is left is stopped, not waited for; two people said so. */
  readonly force: boolean;
  /** Present for Hook and Unhook. */
  readonly hook?: HookCall;
  /** Present for Repair. */
  readonly repair?: RepairAction;
  /** Present for Approve. */
  readonly ask?: ApprovalAsk;
  readonly result?: JobResult;
  readonly createdAt: number;
  readonly endedAt?: number;
}
export const JobDefaults = { instances: [], osFamily: "apt", hardwareClass: "", downgrade: false, checks: [], facts: {}, force: false } satisfies Partial<Job>;
export type JobWire = Wire<Job, typeof JobDefaults>;

/**
 * What can mend a job that did not end well.
 * - Time: Waiting can: what is missing comes back, or who is in the way goes away.
 * - People: Only people can.
 */
export const JobMendValues = ["Time", "People"] as const;
export type JobMend = (typeof JobMendValues)[number];

/**
 * - Done: Done and verified.
 * - Failed: Not done, and the host was read back: its state is known.
 * - Unknown: The state of the host could not be read back.
 * - Wait: Of a Hook or Unhook: not yet, ask again after retryAfterSeconds.
 * - Veto: Of a Hook before the undeploy: not now; the batch goes back and is tried again later.
 */
export const JobOutcomeValues = ["Done", "Failed", "Unknown", "Wait", "Veto"] as const;
export type JobOutcome = (typeof JobOutcomeValues)[number];

/** What a consumer reports at the end of a job. */
export interface JobResult {
  readonly outcome: JobOutcome;
  /** One sentence: what was done or what failed, naming the object. */
  readonly message: string;
  /** Facts to keep on the host upgrade and hand to later steps. */
  readonly facts: Readonly<Record<string, string>>;
  /** Cordon, Recover and, if it likes, Uncordon: the mark fetched after the last effect and before the read below. */
  readonly mark?: number;
  /** With the mark: every instance on the host as just read. */
  readonly instances?: readonly InstanceReport[];
  /** Checks with what was got and what was wanted, as one JSON text. */
  readonly evidence: string;
  /** Of a Drain that did not end well: what was left. */
  readonly left?: DrainLeft;
  /** Of a pre hook: what its post hook is given, and itself if it asks to be asked again; at most 16000 characters. */
  readonly state?: string;
  /** Of a Hook or Unhook that says Wait, and only then: from 1 to 3600. */
  readonly retryAfterSeconds?: number;
  /** Of an Approve that is Done. */
  readonly answer?: ApprovalAnswer;
  /**
   * Whether anything was begun on the host by this job, or by an earlier one of its step and batch, as what the wrapper on
   * the host recorded says; of a Verify, by any Update of its batch. Absent where nobody knows.
   */
  readonly begun?: boolean;
  /** Of a job that did not end well: what can mend it. Absent where the consumer does not know. */
  readonly mend?: JobMend;
  /**
   * A stable word for what failed, such as held, source-unreadable, space or lock-held: hosts that fail alike have the same
   * one. At most 64 of the characters a-z, 0-9 and -. The server acts on two of them: a Drain that fails as not-drained is
   * late, and policies say what becomes of its host; an Update that fails for want of space may have its host cleaned.
   */
  readonly cause: string;
}
export const JobResultDefaults = { facts: {}, evidence: "", cause: "" } satisfies Partial<JobResult>;
export type JobResultWire = Wire<JobResult, typeof JobResultDefaults>;

/**
 * - Pending: Nobody works on it.
 * - Unknown: The executor cannot tell what state the host is in.
 * - Waited: It asked to be asked again: another round follows.
 * - Vetoed: A hook turned the batch back.
 * - Expired: Ended by the board: attempts or deadline used up.
 * - Cancelled: Ended by the board before anybody claimed it.
 */
export const JobStateValues = ["Pending", "Claimed", "Done", "Failed", "Unknown", "Waited", "Vetoed", "Expired", "Cancelled"] as const;
export type JobState = (typeof JobStateValues)[number];

/**
 * One step of a host's way, done by a consumer for one host; a Hook or Unhook for what its call names. Preflight comes before a grant, Approve belongs to none.
 * - Preflight: Find out whether a host that still serves could be updated now, and download what its Update needs. Changes nothing else.
 * - Verify: Read a host that seems to be on the release already: is it? Changes nothing.
 * - Cordon: Stop new placements on the host and report what really runs there.
 * - Drain: Take the host's instances out of rotation, wait for open requests, stop them.
 * - Update: Bring the host to the release: its packages, then a reboot; or a new installation from the image.
 * - Health: Judge the host from its facts.
 * - Recover: Start the instances, verify them, put them back in rotation, lift the cordon.
 * - Uncordon: Lift the cordon of a host that was not drained.
 * - Hook: Do what a team's policy wants before or after the work on hosts.
 * - Unhook: A post hook of a batch that goes back: take back what its pre hook did.
 * - Repair: Find out what is the matter with a host on which a step failed, or do something about it.
 * - Approve: Say which instances may go down: the work of a team's controller.
 */
export const JobStepValues = ["Preflight", "Verify", "Cordon", "Drain", "Update", "Health", "Recover", "Uncordon", "Hook", "Unhook", "Repair", "Approve"] as const;
export type JobStep = (typeof JobStepValues)[number];

/** A ticket in the queue or a lock on hosts. */
export interface Lock {
  readonly id: string;
  readonly kind: LockKind;
  readonly state: LockState;
  readonly hosts: readonly string[];
  readonly applications: readonly string[];
  readonly holder: string;
  readonly reason: string;
  /** provisional, confirmed or open for a batch hold; empty otherwise. */
  readonly stage: string;
  /** Fencing token: the revision of the grant; absent while waiting. */
  readonly token?: number;
  /** Place in the queue of the first contended host, from 1; absent when held. */
  readonly position?: number;
  /** Its age in the one order of all tickets; absent when held. */
  readonly order?: QueueOrder;
  /** A waiting ticket that is not renewed by then leaves the queue; milliseconds since 1970. */
  readonly deadline?: number;
  /** Why it waits or was refused. */
  readonly explanation: string;
  readonly grant?: string;
  readonly rollout?: string;
  /** Whether the client of a session lock is alive; absent for tickets and for holds, which no time ends. */
  readonly alive?: boolean;
  /** What is left of its lease; only where one lock is read, and absent when the client is not alive. */
  readonly leaseSecondsLeft?: number;
  /** About when a lock whose client is gone excludes nobody any more, milliseconds since 1970: its client may not have heard of it before. */
  readonly excludesUntil?: number;
  /** When it was written down that a lapsed lock has lapsed, milliseconds since 1970; only where one lock is read, and moments late. */
  readonly lapsedAt?: number;
  /** When it was granted, by the grantor's clock, milliseconds since 1970. */
  readonly grantedAt?: number;
  /** The longest it is held, as its client declared; absent when that was not declared. */
  readonly maxSeconds?: number;
  /** About when that is over, milliseconds since 1970; absent while waiting. */
  readonly endsAt?: number;
  /** Whether a budget that says Wait does not stop it; what it takes counts as down all the same. */
  readonly advisory: boolean;
}
export const LockDefaults = { applications: [], stage: "", explanation: "", advisory: false } satisfies Partial<Lock>;
export type LockWire = Wire<Lock, typeof LockDefaults>;

/**
 * What an entry of the lock history tells. New ones are added; a reader skips those it does not know.
 * - Queued: A ticket took its place in the queue.
 * - Left: A ticket left the queue without a lock.
 * - Checked: A check of a batch hold was passed.
 * - Lapsed: The client of a session lock died, or its declared maximum is over.
 * - Quarantined: The lock became a quarantine.
 * - Frozen: The fleet brake was pulled.
 * - Gap: What happened between this entry and the one before it was lost.
 */
export const LockChangeValues = ["Queued", "Left", "Granted", "Checked", "Lapsed", "Quarantined", "Ended", "Frozen", "Unfrozen", "Gap"] as const;
export type LockChange = (typeof LockChangeValues)[number];

/** One change of a ticket, a lock or the fleet brake. */
export interface LockHistoryEntry {
  /** The etcd revision of the change; changes of one transaction share it. */
  readonly revision: number;
  /** When it was written down, milliseconds since 1970. */
  readonly at: number;
  /** One of LockChange. A text, so that an older reader can skip one it does not know. */
  readonly change: string;
  /** Where; empty for the brake and for a gap. */
  readonly hosts: readonly string[];
  /** The ticket or lock; absent for the brake and for a gap. */
  readonly lock?: string;
  /** One of LockKind; absent where it is not known. */
  readonly kind?: string;
  readonly holder?: string;
  /** Who did it, where that is not the holder. */
  readonly by?: string;
  readonly reason: string;
  readonly token?: number;
  readonly rollout?: string;
}
export const LockHistoryEntryDefaults = { hosts: [], reason: "" } satisfies Partial<LockHistoryEntry>;
export type LockHistoryEntryWire = Wire<LockHistoryEntry, typeof LockHistoryEntryDefaults>;

/**
 * - Session: A lock of a process; lives by a lease.
 * - Batch: A lock of a batch; no lease, never ended by time.
 * - Quarantine: A hold of a host that could not be returned to service.
 * - FleetLock: A lock of a client that asks by the FleetLock protocol; no lease, verified when its declared maximum is over.
 * - Maintenance: A host somebody works on by hand; no lease, ended by whoever began it.
 */
export const LockKindValues = ["Session", "Batch", "Quarantine", "FleetLock", "Maintenance"] as const;
export type LockKind = (typeof LockKindValues)[number];

/**
 * Where a ticket or lock stands.
 * - Waiting: A ticket in the queue.
 * - Refused: A try that was refused, or a wait that passed its deadline.
 * - Held: A lock that excludes everybody else; of a session lock also when its client is gone, until that one cannot believe in it any more.
 * - Lapsed: A session lock whose holder died a lease ago or more: no longer excludes, counts as down until newer healthy observations.
 * - Ended: Released by its holder.
 */
export const LockStateValues = ["Waiting", "Refused", "Held", "Lapsed", "Ended"] as const;
export type LockState = (typeof LockStateValues)[number];

/** The least that is good of a machine as its BMC tells it. What is absent is not asked for. */
export interface MachineSpec {
  /** The worst health that is still good. */
  readonly health?: HealthSeverity;
  readonly memoryGib?: number;
  readonly processors?: number;
  /** Versions by the name of the component, as the BMC spells both. */
  readonly firmware: Readonly<Record<string, string>>;
  /** The worst event that is still good, of those since the update began. */
  readonly log?: HealthSeverity;
}
export const MachineSpecDefaults = { firmware: {} } satisfies Partial<MachineSpec>;
export type MachineSpecWire = Wire<MachineSpec, typeof MachineSpecDefaults>;

/** One thing a team is told. It may come more than once, always with the same id. */
export interface Notification {
  /** What was seen under this id before can be dropped. */
  readonly id: string;
  /** Of its event, to acknowledge it. */
  readonly cursor: string;
  /** When it happened, milliseconds since 1970. */
  readonly at: number;
  readonly event: NotificationEvent;
  /** One of EventKind. A text, so that an older reader can pass on a kind it does not know. */
  readonly kind: string;
  readonly host?: string;
  readonly rollout?: string;
  /** What the rollout upgrades to. */
  readonly release?: string;
  /** The team's applications it concerns: those on the host, or on hosts of the rollout. */
  readonly applications: readonly string[];
  /** One sentence; empty where there is nothing to say. */
  readonly reason: string;
  readonly failure?: NotifiedFailure;
  readonly silence?: AlertSilence;
}
export const NotificationDefaults = { reason: "" } satisfies Partial<Notification>;
export type NotificationWire = Wire<Notification, typeof NotificationDefaults>;

/**
 * What teams are told, in their words. An event may be several of them: a host that is upgraded is Done and Back.
 * - Quarantined: A host could not be returned to service and stays held until somebody looks after it.
 * - Failed: A step on a host failed, or the host was brought back on its old release.
 * - Overdue: A phase on a host takes longer than a policy allows or than it usually does.
 * - Paused: A rollout does not go on until somebody lets it; a host that does not drain waits for an answer.
 * - Resumed: It goes on; it is answered. The same of a phase that was overdue.
 * - Started: A rollout was submitted; a host was granted to it.
 * - Done: A host is upgraded or was already; a rollout ended.
 * - Requeued: A host was given back untouched and waits again.
 * - Cancelled: A host will not be upgraded by this rollout.
 * - Down: A host is about to go down: alerts about it may be silenced from now on.
 * - Back: Work on a host that went down is over, well or not: silences end.
 */
export const NotificationEventValues = ["Quarantined", "Failed", "Overdue", "Paused", "Resumed", "Started", "Done", "Requeued", "Cancelled", "Down", "Back"] as const;
export type NotificationEvent = (typeof NotificationEventValues)[number];

/** The job that failed on a host. */
export interface NotifiedFailure {
  readonly job: string;
  readonly step: JobStep;
  readonly attempt: number;
  readonly message: string;
  /** The same for hosts that failed alike: what the consumer gave as fact "signature", else what the host's remediation found, else the message without names and numbers. */
  readonly signature: string;
  /** What was tried on the host since, in order; empty where its policies let nothing be tried. */
  readonly tried: readonly TriedRepair[];
}
export const NotifiedFailureDefaults = { tried: [] } satisfies Partial<NotifiedFailure>;
export type NotifiedFailureWire = Wire<NotifiedFailure, typeof NotifiedFailureDefaults>;

/** What a consumer read of the packages of one host, or why it could not. */
export interface PackageReading {
  readonly host: string;
  /** The stamp with which the host was offered. A reading under an older one is ignored: it may be of before. */
  readonly stamp: string;
  /** When the host was offered, as it was told then. */
  readonly askedAt: number;
  /** SHA-256 in hexadecimal digits over what is installed there; empty if that could not be read. */
  readonly digest: string;
  /** Why it could not be read, in at most 200 characters; empty if it could. */
  readonly fault: string;
}
export const PackageReadingDefaults = { digest: "", fault: "" } satisfies Partial<PackageReading>;
export type PackageReadingWire = Wire<PackageReading, typeof PackageReadingDefaults>;

/** Readings of many hosts, each judged for itself. */
export interface PackageReadings {
  /** At most 1000. */
  readonly readings: readonly PackageReading[];
}

/** What became of one package; the counts are hosts. */
export interface PackageReport {
  /** apt or dnf. */
  readonly family: string;
  readonly name: string;
  readonly counts: ChangeCounts;
  /** Each way it went, the most frequent first. */
  readonly paths: readonly VersionPath[];
}

/** A host in nobody's hands whose installed packages are to be read, and what a consumer needs to reach it. */
export interface PackagesDue {
  readonly host: string;
  readonly address: string;
  /** Package family, as in jobs. */
  readonly osFamily: string;
  /** What was done to the host so far, by Drydock or under a lock; to be handed back with the reading as it is. */
  readonly stamp: string;
  /** When this was answered, milliseconds since 1970 by the server's clock; to be handed back as it is. */
  readonly askedAt: number;
}

/** Hosts of a plan, and why they are not among its steps. */
export interface PlanHosts {
  readonly hosts: readonly string[];
  readonly reasons: readonly string[];
}

/** The facts a plan was made by. Who starts the plan sends it back, and is refused when they have changed. */
export interface PlanRevision {
  /** Equal for equal facts. Enough to be refused; the rest is needed to be told what is different. */
  readonly digest: string;
  /** Versions of the policies that apply on the hosts. */
  readonly policies: Readonly<Record<string, number>>;
  /** By host, what is allocated there. */
  readonly placement: Readonly<Record<string, readonly string[]>>;
}
export const PlanRevisionDefaults = { policies: {}, placement: {} } satisfies Partial<PlanRevision>;
export type PlanRevisionWire = Wire<PlanRevision, typeof PlanRevisionDefaults>;

/** Hosts of a plan that go together. */
export interface PlanStep {
  readonly hosts: readonly string[];
  readonly beginMillis: number;
  readonly endMillis: number;
}

/** What an application goes through by a plan. */
export interface PlanTimeline {
  readonly application: string;
  readonly instances: number;
  readonly beginMillis: number;
  readonly endMillis: number;
  /** Of its instances, the most that are down at one time by the plan. */
  readonly downMost: number;
  /** Absent when no rule says. */
  readonly downAllowed?: number;
}

/** One version of a team's policy: the YAML as written, and what was read from it. */
export interface PolicyDocument {
  /** The policy as the team wrote it. */
  readonly yaml: string;
  /** From metadata.name; set by the server. */
  readonly name?: string;
  readonly team?: string;
  readonly version?: number;
  readonly applications?: readonly string[];
  readonly createdAt?: number;
  readonly createdBy?: string;
  /**
   * What it says that is hardly meant, as it has no effect on hosts of now or keeps them from ever being upgraded; set by lint, and
   * where one policy is read.
   */
  readonly warnings?: readonly ErrorDetail[];
}

/** Who makes a call, as the server knows them by their token. */
export interface Principal {
  readonly name: string;
  readonly team: string;
  readonly role: PrincipalRole;
}

/**
 * What a principal may do.
 * - Viewer: Reads everything, changes nothing.
 * - Operator: Starts rollouts, adds releases, takes tickets.
 * - Owner: Changes the policies of its own team.
 * - Consumer: Claims jobs and reports what it observes.
 * - Admin: Everything.
 */
export const PrincipalRoleValues = ["Viewer", "Operator", "Owner", "Consumer", "Admin"] as const;
export type PrincipalRole = (typeof PrincipalRoleValues)[number];

/** What orders all tickets: the lower, the earlier; revision first. */
export interface QueueOrder {
  /** The etcd revision at which it was accepted. */
  readonly revision: number;
  /** Its place among what was accepted with it. */
  readonly index: number;
}

/** Recovery mode. While it lasts nobody is granted a host, and nobody gets a job but to read a host back. */
export interface Recovery {
  readonly recovering: boolean;
  /** The store that was restored, PostgreSQL or etcd; absent while nothing is recovered, like the other fields. */
  readonly behind?: string;
  /** By what that was noticed. */
  readonly reason?: string;
  /** When it was noticed, in milliseconds since 1970. */
  readonly since?: number;
  /** Hosts that were under way in either store; known once both were joined. */
  readonly hosts?: number;
  /** How many of them were read back. */
  readonly read?: number;
  /** What it still waits for, in a sentence. */
  readonly waitsFor?: string;
}

/**
 * One OS release of the catalogue: what hosts of each package family shall run. A host's family is its label
 * os-family, apt or dnf; without that label it is apt.
 */
export interface Release {
  readonly name: string;
  /** Where apt hosts get its packages: the URL of an apt channel. Empty in a release for dnf hosts alone. */
  readonly channel: string;
  /** Expected package versions on apt hosts after the update, by package name. */
  readonly packages: Readonly<Record<string, string>>;
  /** Expected running kernel release after the reboot. */
  readonly kernel: string;
  /** Where dnf hosts get its packages: the URL of a dnf repository. Absent in a release for apt hosts alone. */
  readonly dnfChannel?: string;
  /** Expected package versions on dnf hosts, as VERSION-RELEASE with the epoch before it if there is one. */
  readonly dnfPackages: Readonly<Record<string, string>>;
  /** Expected running kernel release on dnf hosts, where it is another than on apt hosts. */
  readonly dnfKernel?: string;
  /** What a re-image boots, by package family: the URL of an installer medium for the virtual drive of a BMC. */
  readonly images: Readonly<Record<string, string>>;
  /** What hosts installed from these images tell as IMAGE_VERSION; present when there are images. */
  readonly imageVersion?: string;
  /** What hosts have to be like, by hardware class; under default for all other classes. */
  readonly health: Readonly<Record<string, HealthSpec>>;
  readonly createdAt?: number;
  readonly createdBy?: string;
}
export const ReleaseDefaults = { dnfPackages: {}, images: {}, health: {} } satisfies Partial<Release>;
export type ReleaseWire = Wire<Release, typeof ReleaseDefaults>;

/**
 * What a Repair does. New ones are added; a consumer leaves a job alone that it does not understand.
 * - Diagnose: Read the host and say in what state it is, with the facts diagnosis.reachable (true or false) and diagnosis.running (what of
 * ours still runs there, empty if nothing does). Changes nothing; that the host does not answer is an answer.
 * - CleanDisk: Remove from the host what the rules of its owner call safe, once per round.
 * - PowerCycle: Switch the host off and on, once per round.
 * - Verify: Wait until it answers again: was it started anew, and may a step be done on it? Changes nothing.
 */
export const RepairActionValues = ["Diagnose", "CleanDisk", "PowerCycle", "Verify"] as const;
export type RepairAction = (typeof RepairActionValues)[number];

/** What became of an inventory report. */
export interface ReportReceipt {
  readonly accepted: boolean;
  /** Why the report was ignored; empty when it was accepted. */
  readonly reason: string;
}
export const ReportReceiptDefaults = { reason: "" } satisfies Partial<ReportReceipt>;
export type ReportReceiptWire = Wire<ReportReceipt, typeof ReportReceiptDefaults>;

/**
 * One submission and how far it has come. The counts always add up to the number of hosts. What is submitted is a
 * RolloutRequest: its fields are these, all others are set by the server and have a default here.
 */
export interface Rollout {
  readonly id: string;
  readonly release: string;
  readonly mode: RolloutMode;
  readonly state: RolloutState;
  readonly reason: string;
  readonly requester: string;
  readonly team: string;
  readonly hostCount: number;
  readonly pending: number;
  readonly inProgress: number;
  readonly upgraded: number;
  readonly skipped: number;
  readonly reverted: number;
  readonly quarantined: number;
  readonly cancelled: number;
  readonly createdAt: number;
  readonly endedAt?: number;
  readonly priority: RolloutPriority;
  /** Who goes first; empty when no policy asks for canaries. */
  readonly canaries: readonly RolloutCanaries[];
  /** When it begins, or was to begin. */
  readonly startAt?: number;
  /** Of the requester's own change management. */
  readonly changeTicket: string;
  /** Who asked for the state it is in, and why; empty when it came about by itself. */
  readonly stateBy: string;
  readonly stateReason: string;
  /** Whose hosts it takes up again. */
  readonly origin?: RolloutOrigin;
  /** The labels its hosts were selected by when it was submitted; empty where they were named. */
  readonly selector: string;
  /** Only in a submission; later see the hostUpgrades of the rollout. */
  readonly hosts?: readonly string[];
  /** Only in a submission. */
  readonly requestId?: string;
  /** Only in a submission. */
  readonly plan?: PlanRevision;
}
export const RolloutDefaults = { id: "", mode: "PackageUpdate", state: "Running", reason: "", requester: "", team: "", hostCount: 0, pending: 0, inProgress: 0, upgraded: 0, skipped: 0, reverted: 0, quarantined: 0, cancelled: 0, createdAt: 0, priority: "Normal", canaries: [], changeTicket: "", stateBy: "", stateReason: "", selector: "" } satisfies Partial<Rollout>;
export type RolloutWire = Wire<Rollout, typeof RolloutDefaults>;

/** Hosts of a rollout that go first for one policy. */
export interface RolloutCanaries {
  readonly policy: string;
  /** Of the policy, when the rollout was submitted. */
  readonly version: number;
  readonly hosts: readonly string[];
  /** How long the others wait once these are done. */
  readonly soakSeconds: number;
  /** What the others wait for, as they are told; empty once they need not. */
  readonly says: string;
  /** When the others were let go. */
  readonly passedAt?: number;
}
export const RolloutCanariesDefaults = { says: "" } satisfies Partial<RolloutCanaries>;
export type RolloutCanariesWire = Wire<RolloutCanaries, typeof RolloutCanariesDefaults>;

/**
 * How a host is brought to the release.
 * - PackageUpdate: Packages are updated in place, then the host reboots.
 * - Reimage: The main partition is written anew from the release's image, through the host's BMC; the data partition is kept.
 */
export const RolloutModeValues = ["PackageUpdate", "Reimage"] as const;
export type RolloutMode = (typeof RolloutModeValues)[number];

/** The rollout whose hosts another one takes up again. */
export interface RolloutOrigin {
  readonly kind: RolloutOriginKind;
  readonly rollout: string;
}

/**
 * What a rollout does with the hosts of an earlier one.
 * - Retry: To the same release, those that did not get there.
 * - Revert: Back to the release they had before, those that were upgraded.
 */
export const RolloutOriginKindValues = ["Retry", "Revert"] as const;
export type RolloutOriginKind = (typeof RolloutOriginKindValues)[number];

/** What would become of a submission, by the facts of now. Times are milliseconds from the beginning. */
export interface RolloutPlan {
  readonly release: string;
  /** When it was made. */
  readonly at: number;
  readonly revision: PlanRevision;
  /** Hosts that go together, in the order in which they begin. */
  readonly steps: readonly PlanStep[];
  /** Hosts that cannot begin as things are: something is down, should exist and is not allocated, or is not told. */
  readonly waiting: readonly PlanHosts[];
  /** Hosts that rules could never let go, or no grant takes at once; a submission with one is refused. */
  readonly infeasible: readonly PlanHosts[];
  readonly makespanMillis: number;
  /** No plan is shorter, by this formula. */
  readonly boundMillis: number;
  readonly boundFormula: string;
  /** By how much the plan is longer than the bound: 0.02 for 2 %. */
  readonly gap: number;
  readonly applications: readonly PlanTimeline[];
  /** Rules that cannot be foreseen; the plan takes them to allow. */
  readonly assumed: readonly string[];
  /** Windows and blackouts, by policy. */
  readonly windows: Readonly<Record<string, string>>;
  /** What holds of draining the hosts and of those that are late, in words, with the policies it comes from, and of how many hosts. */
  readonly drains: Readonly<Record<string, number>>;
  /** How long work on a host is reckoned to take, and why, in words, and on how many hosts. */
  readonly durations: Readonly<Record<string, number>>;
  /** Who goes first, by policy. */
  readonly canaries: readonly RolloutCanaries[];
}
export const RolloutPlanDefaults = { waiting: [], infeasible: [], assumed: [], windows: {}, drains: {}, durations: {}, canaries: [] } satisfies Partial<RolloutPlan>;
export type RolloutPlanWire = Wire<RolloutPlan, typeof RolloutPlanDefaults>;

/** Whose hosts go first among those that have no place in the queue yet; it never passes who waits there. */
export const RolloutPriorityValues = ["Low", "Normal", "High"] as const;
export type RolloutPriority = (typeof RolloutPriorityValues)[number];

/**
 * What a rollout changed on its hosts, from what its executors read there before the update and after it. The report of a
 * rollout that still runs says what is known so far.
 */
export interface RolloutReport {
  /** With its hosts by state, which add up to hostCount. Not finished while its state is Running. */
  readonly rollout: Rollout;
  /** When this report was drawn up. */
  readonly at: number;
  /** Start of the first host; absent before. */
  readonly startedAt?: number;
  /** End of the host that ended last; absent before the first end. */
  readonly lastEndedAt?: number;
  /** Hosts with complete facts. Packages, kernels and CVEs are counted over these. */
  readonly completeHosts: number;
  /** All other hosts, by state and by what is missing. With completeHosts they add up to hostCount. */
  readonly incomplete: readonly IncompleteHosts[];
  /** Hosts whose packages were changed by nobody of Drydock since the rollout was created, the newest first; at most 1000. */
  readonly foreignUpdates: readonly ForeignUpdate[];
  /** Running kernels before and after; their hosts add up to completeHosts. */
  readonly kernels: readonly VersionPath[];
  /** Over all packages and hosts with complete facts, those packages included that are not listed below. */
  readonly totals: ChangeCounts;
  /** By family and name: packages that changed on at least one host, or all when they were asked for. */
  readonly packages: readonly PackageReport[];
  /** Packages that should be listed but are not, because the list is at its limit. */
  readonly packagesLeftOut: number;
  /** By name, when advisories were given; else empty. */
  readonly cves: readonly CveReport[];
}
export const RolloutReportDefaults = { foreignUpdates: [], packagesLeftOut: 0 } satisfies Partial<RolloutReport>;
export type RolloutReportWire = Wire<RolloutReport, typeof RolloutReportDefaults>;

/** A submission: these hosts to that release. */
export interface RolloutRequest {
  readonly release: string;
  readonly mode: RolloutMode;
  /** Host names; the plan says who goes first, whatever their order here. Empty where a selector says which. */
  readonly hosts: readonly string[];
  /**
   * Instead of hosts: those that are reported with such labels when it is submitted, in the order of their names. Who is
   * labelled so later does not join. As Kubernetes' selectors: key=value, key!=value, key in (a, b), key notin (a, b), key, !key.
   */
  readonly selector: string;
  /** Why, for the audit trail. */
  readonly reason: string;
  /** Chosen by the client: the same id submitted again answers the rollout of the first time. */
  readonly requestId?: string;
  readonly priority: RolloutPriority;
  /** When to begin, in milliseconds since the epoch; absent: now. */
  readonly startAt?: number;
  /** Of the requester's own change management, kept with the rollout. */
  readonly changeTicket: string;
  /** Of the plan that is started: the submission is refused when its facts have changed. */
  readonly plan?: PlanRevision;
}
export const RolloutRequestDefaults = { mode: "PackageUpdate", hosts: [], selector: "", reason: "", priority: "Normal", changeTicket: "" } satisfies Partial<RolloutRequest>;
export type RolloutRequestWire = Wire<RolloutRequest, typeof RolloutRequestDefaults>;

/**
 * The last three are final.
 * - Scheduled: Begins at its startAt.
 * - Paused: No host begins; those in progress go on to their end.
 * - Aborting: No host begins, and those in progress are brought back where that can be done; then it is Aborted.
 * - Succeeded: Every host ended Upgraded or Skipped.
 * - Degraded: Every host ended, but not all of them upgraded.
 * - Aborted: It was aborted, and every host has ended.
 */
export const RolloutStateValues = ["Scheduled", "Running", "Paused", "Aborting", "Succeeded", "Degraded", "Aborted"] as const;
export type RolloutState = (typeof RolloutStateValues)[number];

/**
 * What a team wants to be told: of its own applications, by the policies that it owns, and never of others. Each filter that
 * is empty lets everything pass. Who creates one sends name and filters; everything else is set by the server.
 */
export interface Subscription {
  /** TEAM~NAME */
  readonly id: string;
  /** Unique within its team: lower-case letters, digits and '-', at most 63 characters. */
  readonly name: string;
  /** Empty when it is created: that of the caller. */
  readonly team: string;
  readonly events: readonly NotificationEvent[];
  readonly applications: readonly string[];
  /** Ids of rollouts. */
  readonly rollouts: readonly string[];
  /** The cursor up to which its reader is done with everything. */
  readonly acknowledged: string;
  /**
   * How many events of the team's hosts were forgotten before they were acknowledged, wanted or not; mostly 0. While it is
   * not, nothing is given out until a cursor from lostUpTo on is acknowledged.
   */
  readonly lost: number;
  readonly lostUpTo?: string;
  /** When the first and the last of them happened, milliseconds since 1970. */
  readonly lostFrom?: number;
  readonly lostTo?: number;
  /** Policies whose notify names it: of their applications it gets only what they say. */
  readonly policies: readonly string[];
  readonly createdAt: number;
  readonly createdBy: string;
  /** Why it is told nothing, or nothing for a part of its filters, as things are; set where one is read. */
  readonly warnings: readonly ErrorDetail[];
}
export const SubscriptionDefaults = { id: "", team: "", events: [], applications: [], rollouts: [], acknowledged: "", lost: 0, policies: [], createdAt: 0, createdBy: "", warnings: [] } satisfies Partial<Subscription>;
export type SubscriptionWire = Wire<Subscription, typeof SubscriptionDefaults>;

/**
 * - Try: Granted now or refused with the reason; never passes a waiter.
 * - Wait: Waits in the queue until its deadline.
 */
export const TicketModeValues = ["Try", "Wait"] as const;
export type TicketMode = (typeof TicketModeValues)[number];

/** A request for exclusive use of hosts by somebody other than a rollout. */
export interface TicketRequest {
  /** Chosen by the client: the same id submitted again answers the same ticket. */
  readonly requestId?: string;
  /** Hosts to lock, all or none. An instance id stands for its host. */
  readonly hosts: readonly string[];
  readonly instances: readonly string[];
  /** Fault zones: every host with an instance in one, of the applications below if any are named. */
  readonly zones: readonly string[];
  readonly mode: TicketMode;
  readonly reason: string;
  /** Applications taken down; default: all on the hosts. */
  readonly applications?: readonly string[];
  /** How long a waiting ticket keeps its place without being renewed, in seconds. */
  readonly waitSeconds: number;
  /** Lease of the lock once held, in seconds, renewed by the action "renew". */
  readonly leaseSeconds: number;
  /** The longest the lock is held, in seconds; it lapses then, renewed or not. 0 declares nothing. */
  readonly maxSeconds: number;
  /** No lease: the lock of a person, which only that person or break-glass ends. */
  readonly hold: boolean;
}
export const TicketRequestDefaults = { hosts: [], instances: [], zones: [], mode: "Try", waitSeconds: 300, leaseSeconds: 15, maxSeconds: 0, hold: false } satisfies Partial<TicketRequest>;
export type TicketRequestWire = Wire<TicketRequest, typeof TicketRequestDefaults>;

/** One thing that was tried, or looked at, to mend a host before it was given to people. */
export interface TriedRepair {
  /** Diagnose, RetryStep, RestartService, CleanDisk, PowerCycle, Verify, RollBack, Reimage, Health or Resume. */
  readonly action: string;
  readonly job: string;
  readonly state: JobState;
  /** What who did it says; of a diagnosis what it found, and by which facts. */
  readonly message: string;
  readonly endedAt?: number;
}
export const TriedRepairDefaults = { message: "" } satisfies Partial<TriedRepair>;
export type TriedRepairWire = Wire<TriedRepair, typeof TriedRepairDefaults>;

/**
 * What became of a version on a host, by the rules of the host's package family.
 * - Upgraded: Also for another spelling of an equal version.
 */
export const VersionChangeValues = ["Upgraded", "Downgraded", "Installed", "Removed", "Unchanged"] as const;
export type VersionChange = (typeof VersionChangeValues)[number];

/** From one version to another, and how many hosts went that way. */
export interface VersionPath {
  /** Absent when it was not installed before. Several versions installed side by side are separated by blanks. */
  readonly from?: string;
  /** Absent when it is not installed any more. */
  readonly to?: string;
  readonly change: VersionChange;
  readonly hosts: number;
}
