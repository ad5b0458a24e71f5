import { createParser } from "eventsource-parser";
import { Problem } from "./problem";
import { send } from "./transport";

/** What the stream needs of its surroundings. */
export interface Listener {
  /** It runs: either resumed after the last event we saw, or from now, so that what is known must be read anew. */
  readonly opened: (resumed: boolean) => void;
  readonly event: (event: StreamEvent) => void;
  readonly closed: () => void;
  /** Comes when somebody looks, with the signal that nobody does any more. */
  readonly awake: () => Promise<AbortSignal>;
}

export interface StreamEvent {
  readonly cursor: string;
  readonly kind: string;
  /** The Event record as JSON. */
  readonly data: string;
}

/** The server sends a comment every 15 s: a stream that is silent for longer is dead, whatever TCP believes. */
const SILENCE_MILLIS = 40_000;
const RETRY_MILLIS = [500, 1_000, 2_000, 4_000, 8_000] as const;

/**
 * Follows `/api/stream` until the signal is given, through restarts of the server: the next connection names the last
 * event seen, so that none is lost. Where the server has forgotten it (410), it goes on from now.
 */
export async function follow(listener: Listener, signal: AbortSignal): Promise<void> {
  let last: string | null = null;
  let failures = 0;
  const aborted = (): boolean => signal.aborted;
  while (!aborted()) {
    const asleep = await listener.awake();
    try {
      await connection(last, AbortSignal.any([signal, asleep]), {
        opened: () => {
          failures = 0;
          listener.opened(last !== null);
        },
        event: (event) => {
          last = event.cursor;
          listener.event(event);
        },
      });
    } catch (failure) {
      if (failure instanceof Problem && failure.status === 410) {
        last = null;
        continue;
      }
    }
    if (aborted()) {
      return;
    }
    if (asleep.aborted) {
      continue;
    }
    listener.closed();
    await pause(retryMillis(failures++), signal);
  }
}

/** Longer with every failure, and never the same for all consoles that lost one server. */
function retryMillis(failures: number): number {
  const base = RETRY_MILLIS[Math.min(failures, RETRY_MILLIS.length - 1)] ?? 8_000;
  return base * (0.75 + Math.random() / 2);
}

/** One connection; returns when the server ends it. */
async function connection(
  last: string | null,
  signal: AbortSignal,
  listener: Pick<Listener, "event"> & { readonly opened: () => void },
): Promise<void> {
  const silence = new AbortController();
  let timer = 0;
  const heard = () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => {
      silence.abort();
    }, SILENCE_MILLIS);
  };
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      if (id !== undefined) {
        listener.event({ cursor: id, kind: event ?? "", data });
      }
    },
  });
  heard();
  try {
    const answer = await send("stream", {
      accept: "text/event-stream",
      timeoutMillis: null,
      signal: AbortSignal.any([signal, silence.signal]),
      headers: last === null ? {} : { "Last-Event-ID": last },
    });
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    listener.opened();
    for (;;) {
      heard();
      const part = await reader?.read();
      if (part === undefined || part.done) {
        return;
      }
      parser.feed(part.value);
    }
  } finally {
    window.clearTimeout(timer);
  }
}

function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      window.clearTimeout(timer);
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = window.setTimeout(over, millis);
    signal.addEventListener("abort", over);
  });
}
