import { connectTransport } from "@/api/transport";
import { createStore } from "@/shared/store";

const KEY = "drydock.token";

export interface Session {
  readonly token: string | null;
  /** Why somebody who was signed in is not any more. */
  readonly ended: "expired" | null;
}

/** Kept for the tab only: closing it signs out. Without storage (blocked) the token lives until the next reload. */
const kept = {
  read: (): string | null => {
    try {
      return sessionStorage.getItem(KEY);
    } catch {
      return null;
    }
  },
  write: (token: string | null): void => {
    try {
      if (token === null) {
        sessionStorage.removeItem(KEY);
      } else {
        sessionStorage.setItem(KEY, token);
      }
    } catch {
      // Blocked storage: see above.
    }
  },
};

export const session = createStore<Session>({ token: kept.read(), ended: null });

/** Whether the server answered last time; true until we know better. */
export const reachable = createStore(true);

export function signIn(token: string): void {
  kept.write(token);
  session.set({ token, ended: null });
}

export function signOut(ended: Session["ended"] = null): void {
  kept.write(null);
  session.set({ token: null, ended });
}

connectTransport({
  token: () => session.get().token,
  // A late answer to an older token must not end a newer session.
  refused: (token) => {
    if (session.get().token === token) {
      signOut("expired");
    }
  },
  reached: reachable.set,
});
