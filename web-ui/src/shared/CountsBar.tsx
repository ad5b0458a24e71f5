import { done, DRAWN, total, type Counts } from "./counts";
import { HOST_LOOK } from "./states";
import classes from "./CountsBar.module.css";

/** How far a rollout is: one segment for each state that has hosts. */
export function CountsBar({ counts, large = false }: { readonly counts: Counts; readonly large?: boolean }) {
  const all = total(counts);
  const present = DRAWN.filter((state) => counts[state] > 0);
  const words = present.map((state) => `${String(counts[state])} ${HOST_LOOK[state].word.toLowerCase()}`).join(", ");
  return (
    <div
      className={classes.bar}
      data-large={large || undefined}
      role="progressbar"
      aria-label="Hosts that are done"
      aria-valuemin={0}
      aria-valuemax={all}
      aria-valuenow={done(counts)}
      aria-valuetext={words}
      title={words}
    >
      {present.map((state) => (
        <div
          key={state}
          className={classes.part}
          data-tone={HOST_LOOK[state].tone}
          data-moves={state === "InProgress" || undefined}
          style={{ flexGrow: counts[state] }}
        />
      ))}
    </div>
  );
}
