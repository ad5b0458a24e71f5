import type { RolloutRequest } from "@/api/types.gen";

/** What is in the form. */
export interface Draft {
  readonly release: string;
  readonly hosts: string;
  readonly reason: string;
}

/** A submission that was tried: the same content again is sent with the same id, so that it starts one rollout. */
export interface Attempt {
  readonly content: string;
  readonly requestId: string;
}

export type Request = RolloutRequest & { readonly requestId: string };

/** The request of a draft; with the id of the last attempt if that was for the same. */
export function requestOf(draft: Draft, hosts: readonly string[], last: Attempt | null, newId: () => string): Request {
  const reason = draft.reason.trim();
  const content = JSON.stringify([draft.release, hosts, reason]);
  const requestId = last?.content === content ? last.requestId : newId();
  return {
    release: draft.release,
    mode: "PackageUpdate",
    hosts,
    selector: "",
    reason,
    changeTicket: "",
    priority: "Normal",
    requestId,
  };
}

export const attemptOf = (request: Request): Attempt => ({
  content: JSON.stringify([request.release, request.hosts, request.reason]),
  requestId: request.requestId,
});

/** Not randomUUID: browsers have that only over TLS or on the local host. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

const KEY = "drydock.draft";
const EMPTY: Kept = { draft: { release: "", hosts: "", reason: "" }, attempt: null };

interface Kept {
  readonly draft: Draft;
  readonly attempt: Attempt | null;
}

/** The draft of this tab, also after a reload: an answer that was lost must not start a second rollout. */
export function readKept(): Kept {
  try {
    const text = sessionStorage.getItem(KEY);
    return text === null ? EMPTY : { ...EMPTY, ...(JSON.parse(text) as Partial<Kept>) };
  } catch {
    return EMPTY;
  }
}

export function writeKept(kept: Kept | null): void {
  try {
    if (kept === null) {
      sessionStorage.removeItem(KEY);
    } else {
      sessionStorage.setItem(KEY, JSON.stringify(kept));
    }
  } catch {
    // Blocked or full storage: the draft lives as long as the page.
  }
}
