import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// What browsers have and the test's document has not; Mantine asks for both.
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

afterEach(() => {
  cleanup();
  sessionStorage.clear();
});
