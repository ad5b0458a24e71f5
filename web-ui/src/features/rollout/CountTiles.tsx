import { UnstyledButton } from "@mantine/core";
import type { HostUpgradeState } from "@/api/types.gen";
import { DRAWN, total, type Counts } from "@/shared/counts";
import { HOST_LOOK } from "@/shared/states";
import { StateIcon } from "@/shared/StateBadge";
import classes from "./CountTiles.module.css";

const ALWAYS: ReadonlySet<HostUpgradeState> = new Set(["Upgraded", "InProgress", "Pending"]);

/** The counts, which add up; each shows only its hosts when pressed. */
export function CountTiles(props: {
  readonly counts: Counts;
  readonly chosen: HostUpgradeState | undefined;
  readonly onChoose: (state: HostUpgradeState | undefined) => void;
}) {
  const shown = DRAWN.filter((state) => ALWAYS.has(state) || props.counts[state] > 0);
  return (
    <div className={classes.tiles} role="group" aria-label="Hosts by state">
      <Tile
        word="Hosts"
        count={total(props.counts)}
        pressed={props.chosen === undefined}
        onPress={() => {
          props.onChoose(undefined);
        }}
      />
      {shown.map((state) => (
        <Tile
          key={state}
          state={state}
          word={HOST_LOOK[state].word}
          count={props.counts[state]}
          pressed={props.chosen === state}
          onPress={() => {
            props.onChoose(props.chosen === state ? undefined : state);
          }}
        />
      ))}
    </div>
  );
}

function Tile(props: {
  readonly state?: HostUpgradeState;
  readonly word: string;
  readonly count: number;
  readonly pressed: boolean;
  readonly onPress: () => void;
}) {
  const look = props.state && HOST_LOOK[props.state];
  return (
    <UnstyledButton
      className={classes.tile}
      data-tone={look?.tone}
      data-state={props.state ?? "all"}
      aria-pressed={props.pressed}
      onClick={props.onPress}
    >
      <span className={classes.count}>{props.count}</span>
      <span className={classes.word}>
        {look && <StateIcon look={{ ...look, spins: look.spins === true && props.count > 0 }} size={14} />}
        {props.word}
      </span>
    </UnstyledButton>
  );
}
