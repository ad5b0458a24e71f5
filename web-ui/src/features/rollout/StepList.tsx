import { IconCheck, IconHandStop, IconLoader2, IconX } from "@tabler/icons-react";
import type { HostUpgrade } from "@/api/types.gen";
import { STEP_TEXTS, stepStates, type StepState } from "./steps";
import classes from "./StepList.module.css";

const SAID: Readonly<Record<StepState, string>> = {
  done: "done",
  now: "running now",
  waits: "waits for an answer of people",
  stopped: "did not succeed",
  ahead: "not yet",
};

/** The way of a host, step by step. */
export function StepList({ row }: { readonly row: HostUpgrade }) {
  return (
    <ol className={classes.steps}>
      {stepStates(row).map(({ step, state }) => (
        <li
          key={step}
          className={classes.step}
          data-step={state}
          aria-current={state === "now" || state === "waits" ? "step" : undefined}
        >
          <span className={classes.dot} aria-hidden="true">
            {state === "done" && <IconCheck size={12} stroke={3} />}
            {state === "now" && <IconLoader2 size={12} stroke={3} className={classes.spins} />}
            {state === "waits" && <IconHandStop size={12} stroke={3} />}
            {state === "stopped" && <IconX size={12} stroke={3} />}
          </span>
          <span className={classes.name}>{step}</span>
          <span className={classes.text}>{STEP_TEXTS[step]}</span>
          <span className={state === "waits" ? classes.text : classes.hidden}>{SAID[state]}</span>
        </li>
      ))}
    </ol>
  );
}
