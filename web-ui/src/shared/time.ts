import { useSyncExternalStore } from "react";

const ABSOLUTE = new Intl.DateTimeFormat(undefined, {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZoneName: "short",
});

/** Date and time with the zone it is said in. */
export const absolute = (millis: number): string => ABSOLUTE.format(millis);

/** A length of time in its two largest units. */
export function duration(millis: number): string {
  const seconds = Math.max(0, Math.round(millis / 1000));
  const units = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ] as const;
  const first = units.findIndex(([amount]) => amount > 0);
  return (first < 0 ? units.slice(-1) : units.slice(first, first + 2))
    .filter(([amount], place) => amount > 0 || place === 0)
    .map(([amount, unit]) => `${String(amount)} ${unit}`)
    .join(" ");
}

/** How long ago, in one unit. */
export function ago(millis: number, now: number): string {
  const seconds = Math.round((now - millis) / 1000);
  if (seconds < 10) {
    return "just now";
  }
  if (seconds < 60) {
    return `${String(seconds)} s ago`;
  }
  if (seconds < 3600) {
    return `${String(Math.floor(seconds / 60))} min ago`;
  }
  return seconds < 86_400
    ? `${String(Math.floor(seconds / 3600))} h ago`
    : `${String(Math.floor(seconds / 86_400))} d ago`;
}

const listeners = new Set<() => void>();
let now = Date.now();
let timer = 0;

/** One clock for all that ticks on the page, by the second. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1) {
    now = Date.now();
    timer = window.setInterval(() => {
      now = Date.now();
      listeners.forEach((each) => {
        each();
      });
    }, 1_000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      window.clearInterval(timer);
    }
  };
}

export const useNow = (): number => useSyncExternalStore(subscribe, () => now);
