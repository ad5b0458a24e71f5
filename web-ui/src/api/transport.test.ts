import { describe, expect, it, vi } from "vitest";
import { json, problem, serve } from "@/testing/server";
import type { Problem } from "./problem";
import { atom, list } from "./restUri";
import { connectTransport, read, send } from "./transport";

function surroundings(token: string | null = "secret") {
  const around = { token: () => token, refused: vi.fn(), reached: vi.fn() };
  connectTransport(around);
  return around;
}

describe("transport", () => {
  it("sends the token and the protocol version", async () => {
    surroundings();
    const sent = serve(() => json({ fine: true }));
    await expect(read("rollouts/r1")).resolves.toEqual({ fine: true });
    expect(sent[0]?.path).toBe("/api/rollouts/r1");
    expect(sent[0]?.headers.get("Authorization")).toBe("Bearer secret");
    expect(sent[0]?.headers.get("X-RestLi-Protocol-Version")).toBe("2.0.0");
  });

  it("carries the server's words and details", async () => {
    surroundings();
    serve(() => problem(422, "NO_HOSTS", "The rollout has 1 fault.", [{ path: "hosts", message: "empty" }]));
    const failure = await send("rollouts").catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ status: 422, code: "NO_HOSTS", details: [{ path: "hosts", message: "empty" }] });
    expect((failure as Problem).isTemporary).toBe(false);
  });

  it("tells of a token that is refused, but not of one that is only tried", async () => {
    const around = surroundings();
    serve(() => problem(401, "WRONG_TOKEN", "Nobody has this token."));
    await expect(send("principal", { token: "other" })).rejects.toThrow("Nobody has this token.");
    expect(around.refused).not.toHaveBeenCalled();
    await expect(send("rollouts")).rejects.toThrow();
    expect(around.refused).toHaveBeenCalledExactlyOnceWith("secret");
  });

  it("tells whether the server answers", async () => {
    const around = surroundings();
    serve(() => Promise.reject(new TypeError("Failed to fetch")));
    await expect(send("rollouts")).rejects.toMatchObject({ status: 0, code: "UNREACHABLE", isTemporary: true });
    expect(around.reached).toHaveBeenLastCalledWith(false);
    serve(() => problem(404, "NOT_FOUND", "nothing"));
    await expect(send("rollouts")).rejects.toThrow("nothing");
    expect(around.reached).toHaveBeenLastCalledWith(true);
  });

  it("takes an answer that is no JSON as a fault of the server", async () => {
    surroundings();
    serve(() => new Response("<html>"));
    await expect(read("rollouts")).rejects.toMatchObject({ code: "BAD_ANSWER" });
    serve(() => new Response("<html>", { status: 500 }));
    await expect(read("rollouts")).rejects.toMatchObject({ status: 500, code: "BAD_ANSWER" });
  });
});

describe("restUri", () => {
  it("encodes the characters that carry structure", () => {
    expect(atom("eu/west,1:(a)'b'*!")).toBe("eu%2Fwest%2C1%3A%28a%29%27b%27%2A%21");
    expect(atom("")).toBe("''");
    expect(list(["h01", "a b"])).toBe("List(h01,a%20b)");
  });
});
