import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// What is looked for comes, or the test fails by its own limit: a second is little on a machine that does more beside.
configure({ asyncUtilTimeout: 30_000 });

// What browsers have and the test's document has not.
if (typeof window !== "undefined") {
  window.matchMedia = vi.fn((query: string) => ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  }));
  window.ResizeObserver = class {
    observe() {
      return undefined;
    }
    unobserve() {
      return undefined;
    }
    disconnect() {
      return undefined;
    }
  };
  Object.defineProperty(document, "fonts", { value: new EventTarget() });
}

afterEach(() => {
  if (typeof window !== "undefined") {
    cleanup();
    sessionStorage.clear();
  }
});
