import type { ErrorDetail } from "./types.gen";

/** A call that did not succeed: the server's own words, or that there was no answer (status 0). */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  /** Stable code of the error, such as UNKNOWN_HOST. */
  readonly code: string;
  /** Everything that is wrong with the request; empty when the message says it all. */
  readonly details: readonly ErrorDetail[];

  constructor(status: number, code: string, message: string, details: readonly ErrorDetail[] = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  /** Whether the same idempotent call may succeed a little later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

/** No answer is not "not done": the server may have done it. */
export const noAnswer = (why: "UNREACHABLE" | "TIMED_OUT"): Problem =>
  new Problem(
    0,
    why,
    why === "TIMED_OUT" ? "The server did not answer in time." : "The server cannot be reached from this browser.",
  );

interface ErrorBody {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
}

/** What an answer that is not 2xx says. */
export async function problemOf(answer: Response): Promise<Problem> {
  const body = (await answer.json().catch(() => ({}))) as ErrorBody;
  return new Problem(
    answer.status,
    typeof body.code === "string" ? body.code : "BAD_ANSWER",
    typeof body.message === "string" ? body.message : `The server answered with status ${String(answer.status)}.`,
    Array.isArray(body.details) ? (body.details as ErrorDetail[]) : [],
  );
}
