import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

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
