/** Where a cell is drawn. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** The cell a key leads to from another; undefined when it leads nowhere. Up and down go to the nearest of the next line. */
export function nextCell(cells: readonly Box[], from: number, key: string): number | undefined {
  switch (key) {
    case "ArrowRight":
      return from + 1 < cells.length ? from + 1 : undefined;
    case "ArrowLeft":
      return from > 0 ? from - 1 : undefined;
    case "Home":
      return 0;
    case "End":
      return cells.length - 1;
    case "ArrowDown":
      return nearest(cells, from, 1);
    case "ArrowUp":
      return nearest(cells, from, -1);
    default:
      return undefined;
  }
}

function nearest(cells: readonly Box[], from: number, direction: 1 | -1): number | undefined {
  const here = cells[from];
  if (here === undefined) {
    return undefined;
  }
  const middle = here.left + here.width / 2;
  const beyond = cells.filter((cell) => (cell.top - here.top) * direction > 1);
  const line = Math.min(...beyond.map((cell) => Math.abs(cell.top - here.top)));
  const best = beyond
    .filter((cell) => Math.abs(cell.top - here.top) - line < 1)
    .sort((a, b) => Math.abs(a.left + a.width / 2 - middle) - Math.abs(b.left + b.width / 2 - middle))[0];
  return best === undefined ? undefined : cells.indexOf(best);
}
