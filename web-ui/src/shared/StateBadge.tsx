import type { Look } from "./states";
import classes from "./StateBadge.module.css";

export function StateBadge({ look, large = false }: { readonly look: Look; readonly large?: boolean }) {
  return (
    <span className={classes.badge} data-tone={look.tone} data-large={large || undefined}>
      <StateIcon look={look} size={large ? 18 : 14} />
      {look.word}
    </span>
  );
}

export function StateIcon({ look, size = 16 }: { readonly look: Look; readonly size?: number }) {
  return <look.icon size={size} className={look.spins ? classes.spins : undefined} aria-hidden="true" />;
}
