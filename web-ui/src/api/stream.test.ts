import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { problem, serve, type Sent } from "@/testing/server";
import { follow } from "./stream";

/** A stream that sends the frames and ends, as a server that is stopped does. */
const ending = (...frames: string[]): Response =>
  new Response(frames.join(""), { headers: { "Content-Type": "text/event-stream" } });

const frame = (id: string): string => `id: ${id}\nevent: RolloutCreated\ndata: {"cursor":"${id}"}\n\n`;

/** What the stream told, in order. */
async function told(answers: readonly ((sent: Sent) => Response | Promise<Response>)[]) {
  const log: string[] = [];
  const stop = new AbortController();
  let call = 0;
  const sent = serve((request) => {
    const answer = answers[call++];
    if (answer === undefined) {
      stop.abort();
      return problem(503, "BUSY", "the test is over");
    }
    return answer(request);
  });
  const over = follow(
    {
      opened: (resumed) => log.push(resumed ? "resumed" : "from now"),
      event: ({ cursor }) => log.push(cursor),
      closed: () => log.push("lost"),
      awake: () => Promise.resolve(new AbortController().signal),
    },
    stop.signal,
  );
  await vi.advanceTimersByTimeAsync(300_000);
  await over;
  return { log, ids: sent.map(({ headers }) => headers.get("Last-Event-ID")) };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("follow", () => {
  it("goes on after the last event it saw when the server comes back", async () => {
    const { log, ids } = await told([() => ending(":\n\n", frame("1"), frame("2")), () => ending(frame("3"))]);
    expect(log).toEqual(["from now", "1", "2", "lost", "resumed", "3", "lost"]);
    expect(ids).toEqual([null, "2", "3"]);
  });

  it("survives a server that is away", async () => {
    const { log, ids } = await told([
      () => ending(frame("1")),
      () => Promise.reject(new TypeError("Failed to fetch")),
      () => problem(503, "BUSY", "stopping"),
      () => ending(frame("2")),
    ]);
    expect(log).toEqual(["from now", "1", "lost", "lost", "lost", "resumed", "2", "lost"]);
    expect(ids.slice(1, 4)).toEqual(["1", "1", "1"]);
  });

  it("begins from now where the server has forgotten its place, and says so", async () => {
    const { log, ids } = await told([
      () => ending(frame("1")),
      () => problem(410, "CursorGone", "the oldest kept is 90"),
      () => ending(frame("91")),
    ]);
    expect(log).toEqual(["from now", "1", "lost", "from now", "91", "lost"]);
    expect(ids.slice(0, 3)).toEqual([null, "1", null]);
  });

  it("cuts a stream that is silent for longer than any heartbeat", async () => {
    let cut = false;
    const silent = ({ signal }: Sent) =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode(frame("1")));
            signal?.addEventListener("abort", () => {
              cut = true;
              controller.error(signal.reason);
            });
          },
        }),
      );
    const { log } = await told([silent, () => ending(frame("2"))]);
    expect(log).toEqual(["from now", "1", "lost", "resumed", "2", "lost"]);
    expect(cut).toBe(true);
  });
});
