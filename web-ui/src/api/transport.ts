import { noAnswer, Problem, problemOf } from "./problem";

const TIMEOUT_MILLIS = 20_000;

/** What the transport needs to know of the session and tells about the server; set once by the session. */
export interface Surroundings {
  readonly token: () => string | null;
  /** The server does not know the token of a call. */
  readonly refused: (token: string) => void;
  /** Whether the last call got any answer. */
  readonly reached: (reached: boolean) => void;
}

let around: Surroundings = { token: () => null, refused: () => undefined, reached: () => undefined };

export function connectTransport(surroundings: Surroundings): void {
  around = surroundings;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** Another token than the session's: signing in tries one. */
  readonly token?: string;
  readonly accept?: string;
  /** Streams have no end to wait for. */
  readonly timeoutMillis?: number | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One call below /api; a {@link Problem} unless the server answers 2xx. */
export async function send(path: string, call: Call = {}): Promise<Response> {
  const token = call.token ?? around.token();
  const limit = call.timeoutMillis === null ? [] : [AbortSignal.timeout(call.timeoutMillis ?? TIMEOUT_MILLIS)];
  const headers: Record<string, string> = {
    Accept: call.accept ?? "application/json",
    "X-RestLi-Protocol-Version": "2.0.0",
    ...call.headers,
  };
  if (token !== null) {
    headers.Authorization = `Bearer ${token}`;
  }
  if (call.body !== undefined) {
    headers["Content-Type"] = "application/json";
  }
  let answer: Response;
  try {
    answer = await fetch(`/api/${path}`, {
      method: call.method ?? "GET",
      headers,
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.any([...limit, ...(call.signal ? [call.signal] : [])]),
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    });
  } catch (failure) {
    if (call.signal?.aborted) {
      throw failure;
    }
    around.reached(false);
    throw noAnswer(failure instanceof DOMException && failure.name === "TimeoutError" ? "TIMED_OUT" : "UNREACHABLE");
  }
  around.reached(answer.status !== 502 && answer.status !== 503 && answer.status !== 504);
  if (answer.ok) {
    return answer;
  }
  if (answer.status === 401 && token !== null && call.token === undefined) {
    around.refused(token);
  }
  throw await problemOf(answer);
}

/** The JSON of a read. */
export async function read<T>(path: string, call: Call = {}): Promise<T> {
  const answer = await send(path, call);
  try {
    return (await answer.json()) as T;
  } catch (failure) {
    if (call.signal?.aborted) {
      throw failure;
    }
    throw new Problem(answer.status, "BAD_ANSWER", "The answer of the server was cut off or is not JSON.");
  }
}
