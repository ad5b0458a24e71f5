import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconBan,
  IconCalendarTime,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconLoader2,
  IconPlayerPause,
  IconPlayerSkipForward,
  IconPlayerStop,
  type Icon,
} from "@tabler/icons-react";
import type { HostUpgradeState, RolloutState } from "@/api/types.gen";

/** How a state looks: always a glyph and a word beside the colour. */
export interface Look {
  readonly word: string;
  /** Name of the colours in styles.css. */
  readonly tone: "pending" | "progress" | "good" | "skipped" | "warn" | "bad" | "off";
  readonly icon: Icon;
  readonly spins?: boolean;
}

export const HOST_LOOK: Readonly<Record<HostUpgradeState, Look>> = {
  Pending: { word: "Pending", tone: "pending", icon: IconCircleDashed },
  InProgress: { word: "In progress", tone: "progress", icon: IconLoader2, spins: true },
  Upgraded: { word: "Upgraded", tone: "good", icon: IconCircleCheckFilled },
  Skipped: { word: "Skipped", tone: "skipped", icon: IconPlayerSkipForward },
  Reverted: { word: "Reverted", tone: "warn", icon: IconArrowBackUp },
  Quarantined: { word: "Quarantined", tone: "bad", icon: IconAlertTriangle },
  Cancelled: { word: "Cancelled", tone: "off", icon: IconBan },
};

export const ROLLOUT_LOOK: Readonly<Record<RolloutState, Look>> = {
  Scheduled: { word: "Scheduled", tone: "pending", icon: IconCalendarTime },
  Running: { word: "Running", tone: "progress", icon: IconLoader2, spins: true },
  Succeeded: { word: "Succeeded", tone: "good", icon: IconCircleCheckFilled },
  Degraded: { word: "Degraded", tone: "bad", icon: IconAlertTriangle },
  Paused: { word: "Paused", tone: "warn", icon: IconPlayerPause },
  Aborting: { word: "Aborting", tone: "warn", icon: IconLoader2, spins: true },
  Aborted: { word: "Aborted", tone: "off", icon: IconPlayerStop },
};

/** A newer server may know states we do not: shown as they are, never a blank page. */
export const lookOf = <S extends string>(looks: Readonly<Record<S, Look>>, state: S): Look =>
  (looks as Readonly<Record<string, Look | undefined>>)[state] ?? { word: state, tone: "off", icon: IconCircleDashed };
