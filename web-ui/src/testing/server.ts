import { vi } from "vitest";

/** A request as the server would see it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | null;
}

type Handler = (sent: Sent) => Response | Promise<Response>;

/** Stands in for the server: `fetch` asks the handler; what was sent is kept. */
export function serve(handler: Handler): readonly Sent[] {
  const kept: Sent[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit = {}) => {
    const sent = {
      method: init.method ?? "GET",
      path,
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : undefined,
      signal: init.signal ?? null,
    };
    kept.push(sent);
    return handler(sent);
  });
  return kept;
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

export const problem = (status: number, code: string, message: string, details: readonly unknown[] = []): Response =>
  json({ status, code, message, details }, status);
