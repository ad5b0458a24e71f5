import { memo } from "react";
import type { HostUpgrade } from "@/api/types.gen";
import { HOST_LOOK, lookOf } from "@/shared/states";
import { StateIcon } from "@/shared/StateBadge";
import classes from "./HostGrid.module.css";

/** One host of the grid. Drawn again only when its own row changed: a rollout has thousands of them. */
export const HostCell = memo(function HostCell(props: { readonly row: HostUpgrade; readonly reachable: boolean }) {
  const { row } = props;
  const look = lookOf(HOST_LOOK, row.state);
  const words = row.state === "InProgress" && row.step ? row.step : look.word;
  return (
    <button
      type="button"
      className={classes.cell}
      data-host={row.host}
      data-state={row.state}
      data-tone={look.tone}
      tabIndex={props.reachable ? 0 : -1}
      title={row.reason === "" ? `${row.host}: ${words}` : `${row.host}: ${words} – ${row.reason}`}
    >
      <StateIcon look={look} size={15} />
      <span className={classes.host}>{row.host}</span>
      <span className={classes.step}>{words}</span>
    </button>
  );
});
