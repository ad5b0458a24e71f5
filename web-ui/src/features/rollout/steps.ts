import type { HostUpgrade } from "@/api/types.gen";

/** A host's way, in order; see the docs of HostUpgrade.step. */
export const STEPS = ["Cordon", "Confirm", "Open", "Drain", "Update", "Health", "Recover", "End"] as const;

export const STEP_TEXTS: Readonly<Record<string, string>> = {
  Cordon: "No new work is placed on the host",
  Confirm: "Its applications can still spare it",
  Open: "The budgets are taken",
  Drain: "Out of rotation, open requests end, services stop",
  Update: "Packages are brought to the release, then it reboots",
  Health: "Judged by its own facts",
  Recover: "Services start, are verified, and go back in rotation",
  End: "Its budgets and its lock are free again",
};

/** `waits`: for an answer of people; nothing runs meanwhile. */
export type StepState = "done" | "now" | "waits" | "stopped" | "ahead";

/** A host that waits for people says how to answer. */
const ASKS = /; drydock decision answer \S+$/;

/** How each step stands, from the last one that is known. */
export function stepStates(row: HostUpgrade): readonly { readonly step: string; readonly state: StepState }[] {
  const found = STEPS.findIndex((step) => step === row.step);
  // Granted, but its first step has not begun: that is what it waits for.
  const at = row.state === "InProgress" ? Math.max(0, found) : found;
  return STEPS.map((step, place) => {
    if (row.state === "Upgraded" || place < at) {
      return { step, state: "done" };
    }
    if (place > at) {
      return { step, state: "ahead" };
    }
    if (row.state === "InProgress") {
      return { step, state: ASKS.test(row.reason) ? "waits" : "now" };
    }
    return { step, state: row.state === "Pending" ? "ahead" : "stopped" };
  });
}
