import react from "@vitejs/plugin-react";
import { loadEnv } from "vite";
import { defineConfig } from "vitest/config";

/** `npm run dev` serves the sources and hands everything of the server to DRYDOCK_SERVER. */
export default defineConfig(({ mode }) => {
  const server = loadEnv(mode, ".", "DRYDOCK_").DRYDOCK_SERVER ?? "http://127.0.0.1:8080";
  return {
    plugins: [react()],
    resolve: { alias: { "@": new URL("./src", import.meta.url).pathname } },
    build: { target: "es2022", sourcemap: false, assetsInlineLimit: 0, chunkSizeWarningLimit: 800 },
    server: { port: 5173, proxy: { "/api": server, "/readyz": server } },
    test: {
      environment: "happy-dom",
      include: ["src/**/*.test.{ts,tsx}"],
      setupFiles: ["src/testing/setup.ts"],
      restoreMocks: true,
      testTimeout: 60_000, // A test that hangs, not a machine that is slow.
    },
  };
});
