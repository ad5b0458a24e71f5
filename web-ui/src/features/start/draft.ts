import type { RolloutRequest } from "@/api/types.gen";

/** What is in the form: hosts are named, or chosen by their labels. */
export interface Draft {
  readonly release: string;
  readonly by: "names" | "labels";
  readonly hosts: string;
  readonly selector: string;
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
  const named = draft.by === "names";
  const request: RolloutRequest = {
    release: draft.release,
    mode: "PackageUpdate",
    hosts: named ? hosts : [],
    selector: named ? "" : draft.selector.trim(),
    reason: draft.reason.trim(),
    changeTicket: "",
    priority: "Normal",
  };
  return { ...request, requestId: last?.content === contentOf(request) ? last.requestId : newId() };
}

const contentOf = ({ release, hosts, selector, reason }: RolloutRequest) =>
  JSON.stringify([release, hosts, selector, reason]);

export const attemptOf = (request: Request): Attempt => ({
  content: contentOf(request),
  requestId: request.requestId,
});

/** Not randomUUID: browsers have that only over TLS or on the local host. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

const KEY = "drydock.draft";
const EMPTY: Kept = { draft: { release: "", by: "names", hosts: "", selector: "", reason: "" }, attempt: null };

interface Kept {
  readonly draft: Draft;
  readonly attempt: Attempt | null;
}

/** The draft of this tab, also after a reload: an answer that was lost must not start a second rollout. */
export function readKept(): Kept {
  try {
    const text = sessionStorage.getItem(KEY);
    const kept =
      text === null ? {} : (JSON.parse(text) as { readonly draft?: Partial<Draft>; readonly attempt?: Attempt });
    return { draft: { ...EMPTY.draft, ...kept.draft }, attempt: kept.attempt ?? null };
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
