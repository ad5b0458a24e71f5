import { useQueryClient } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { parseEvent, type FeedEvent } from "@/api/events";
import { LiveCache } from "@/api/live";
import { follow } from "@/api/stream";
import { createStore, useStore } from "@/shared/store";

/** connecting: never been live yet; live: what is shown is so now; lost: it may be older than it looks. */
export type LiveState = "connecting" | "live" | "lost";

export const liveState = createStore<LiveState>("connecting");

/** How often what is on the screen is read while no stream tells its changes. */
const POLL_MILLIS = 3_000;
/** A net under the stream. */
const NET_MILLIS = 60_000;

/** Refetch interval of whatever the stream keeps up to date. */
export const useRefetchInterval = (): number => (useStore(liveState) === "live" ? NET_MILLIS : POLL_MILLIS);

/** Looking at another tab for a moment is no reason to let go. */
const HIDDEN_MILLIS = 30_000;

/** When the tab is visible: the signal that it is hidden, for good or for a while. */
async function whenVisible(stop: AbortSignal): Promise<AbortSignal> {
  while (document.visibilityState === "hidden" && !stop.aborted) {
    await new Promise((resolve) => {
      document.addEventListener("visibilitychange", resolve, { once: true, signal: stop });
      stop.addEventListener("abort", resolve, { once: true });
    });
  }
  const hidden = new AbortController();
  const over = AbortSignal.any([stop, hidden.signal]);
  let timer = 0;
  const look = () => {
    window.clearTimeout(timer);
    if (document.visibilityState === "hidden") {
      timer = window.setTimeout(() => {
        hidden.abort();
      }, HIDDEN_MILLIS);
    }
  };
  document.addEventListener("visibilitychange", look, { signal: over });
  return hidden.signal;
}

/**
 * Keeps the cache at what the server says while somebody looks. A hidden tab lets go of its connection (browsers have
 * few for one server) and takes up where it was.
 */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  useEffect(() => {
    const cache = new LiveCache(client);
    let waiting: FeedEvent[] = [];
    let frame = 0;
    const apply = () => {
      frame = 0;
      const events = waiting;
      waiting = [];
      cache.apply(events);
    };
    const stop = new AbortController();
    void follow(
      {
        opened: (resumed) => {
          liveState.set("live");
          if (!resumed) {
            cache.refresh();
          }
        },
        event: ({ data }) => {
          const event = parseEvent(data);
          if (event !== null) {
            waiting.push(event);
            frame ||= requestAnimationFrame(apply);
          }
        },
        closed: () => {
          liveState.set("lost");
        },
        awake: () => whenVisible(stop.signal),
      },
      stop.signal,
    );
    return () => {
      stop.abort();
      cancelAnimationFrame(frame);
      cache.close();
      liveState.set("connecting");
    };
  }, [client]);
  return children;
}
