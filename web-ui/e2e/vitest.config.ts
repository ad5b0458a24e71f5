import { defineConfig } from "vitest/config";

/** The console in a real browser against a real server; lab/e2e/test_console.py brings both up. */
export default defineConfig({
  root: import.meta.dirname,
  test: { include: ["*.test.ts"], testTimeout: 600_000, hookTimeout: 60_000, fileParallelism: false },
});
