import { useRef, useState, type KeyboardEvent, type MouseEvent } from "react";
import type { HostUpgrade } from "@/api/types.gen";
import { countsOfHosts, done } from "@/shared/counts";
import { CountsBar } from "@/shared/CountsBar";
import { HostCell } from "./HostCell";
import { nextCell } from "./moves";
import type { Zone } from "./zones";
import classes from "./HostGrid.module.css";

/** More cells than this are drawn small. */
const ROOMY_HOSTS = 240;

/**
 * Hosts by fault zone. One stop for the tabulator; inside, arrows, Home and End move. Zones out of sight cost nothing
 * (content-visibility).
 */
export function HostGrid(props: {
  readonly zones: readonly Zone[];
  readonly shown: (row: HostUpgrade) => boolean;
  readonly onOpen: (host: string) => void;
}) {
  const grid = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string>();
  const hosts = props.zones.reduce((sum, zone) => sum + zone.rows.length, 0);
  const shown = props.zones.flatMap((zone) => zone.rows.filter(props.shown));
  const stop = (shown.find((row) => row.host === current) ?? shown[0])?.host;
  const hostAt = (event: MouseEvent | KeyboardEvent): string | undefined =>
    event.target instanceof Element ? event.target.closest<HTMLElement>("[data-host]")?.dataset.host : undefined;
  const move = (event: KeyboardEvent) => {
    const cells = [...(grid.current?.querySelectorAll<HTMLElement>("[data-host]") ?? [])];
    const from = cells.findIndex((cell) => cell === document.activeElement);
    const to =
      from < 0
        ? undefined
        : nextCell(
            cells.map((cell) => cell.getBoundingClientRect()),
            from,
            event.key,
          );
    const cell = to === undefined ? undefined : cells[to];
    if (cell) {
      event.preventDefault();
      setCurrent(cell.dataset.host);
      cell.focus();
    }
  };
  return (
    // The cells are the controls; this only hears what happens to them.
    <div
      ref={grid}
      className={classes.grid}
      data-small={hosts > ROOMY_HOSTS || undefined}
      role="group"
      aria-label="Hosts by fault zone; arrow keys move between them"
      onKeyDown={move}
      onClick={(event) => {
        const host = hostAt(event);
        if (host !== undefined) {
          setCurrent(host);
          props.onOpen(host);
        }
      }}
    >
      {props.zones.map((zone) => (
        <ZoneCard key={zone.name} zone={zone} shown={props.shown} stop={stop} />
      ))}
    </div>
  );
}

function ZoneCard(props: {
  readonly zone: Zone;
  readonly shown: (row: HostUpgrade) => boolean;
  readonly stop: string | undefined;
}) {
  const { name, rows } = props.zone;
  const counts = countsOfHosts(rows);
  const shown = rows.filter(props.shown);
  if (shown.length === 0) {
    return null;
  }
  return (
    <section className={classes.zone} aria-label={`Zone ${name}`}>
      <header className={classes.head}>
        <h3 className={classes.name}>{name}</h3>
        <span className={classes.count}>
          {done(counts)}/{rows.length}
        </span>
        <div className={classes.bar}>
          <CountsBar counts={counts} />
        </div>
      </header>
      <div className={classes.cells}>
        {shown.map((row) => (
          <HostCell key={row.host} row={row} reachable={row.host === props.stop} />
        ))}
      </div>
    </section>
  );
}
