import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconArrowRight } from "@tabler/icons-react";
import { memo } from "react";
import type { Rollout } from "@/api/types.gen";
import { countsOfRollout, done, unwanted } from "@/shared/counts";
import { CountsBar } from "@/shared/CountsBar";
import { lookOf, ROLLOUT_LOOK } from "@/shared/states";
import { StateBadge } from "@/shared/StateBadge";
import { Ago, Elapsed } from "@/shared/Times";
import classes from "./RolloutRow.module.css";

/** One rollout of the list; the whole row leads to it. */
export const RolloutRow = memo(function RolloutRow({ rollout }: { readonly rollout: Rollout }) {
  const counts = countsOfRollout(rollout);
  const bad = unwanted(counts);
  return (
    <li className={classes.row}>
      <div className={classes.what}>
        <Link to="/rollouts/$rollout" params={{ rollout: rollout.id }} className={classes.link}>
          {rollout.id}
        </Link>
        <span className={classes.release}>
          <IconArrowRight size={14} aria-label="to release" />
          <span className="dd-mono">{rollout.release}</span>
        </span>
        <Text size="sm" c="dimmed" className={classes.reason} title={rollout.reason}>
          {rollout.reason || "No reason given"}
        </Text>
      </div>
      <div>
        <StateBadge look={lookOf(ROLLOUT_LOOK, rollout.state)} />
      </div>
      <div className={classes.progress}>
        <CountsBar counts={counts} />
        <Text size="xs" c="dimmed" mt={6} className="dd-numbers">
          {done(counts)} of {rollout.hostCount} hosts done
          {bad > 0 && (
            <span className={classes.bad} data-tone="bad">
              {" "}
              · {bad} to look at
            </span>
          )}
          {counts.Cancelled > 0 && ` · ${String(counts.Cancelled)} cancelled`}
        </Text>
      </div>
      <div className={classes.who}>
        <Text size="sm" fw={550} truncate>
          {rollout.requester}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          team {rollout.team}
        </Text>
      </div>
      <div className={classes.when}>
        <Text size="sm" component="div" className="dd-numbers">
          <Ago at={rollout.createdAt} />
        </Text>
        <Text size="xs" c="dimmed" component="div" className="dd-numbers">
          {rollout.endedAt === undefined ? "for " : "took "}
          <Elapsed from={rollout.createdAt} to={rollout.endedAt} />
        </Text>
      </div>
    </li>
  );
});
