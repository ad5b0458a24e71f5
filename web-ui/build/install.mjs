// Brings node_modules to what package-lock.json says; does nothing when it is so already.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";

export const ROOT = path.resolve(import.meta.dirname, "..");
const MARKER = path.join(ROOT, "node_modules", ".drydock-lock");

/** A short name for the contents of files and texts. */
export function digest(parts) {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part).update("\0");
  }
  return hash.digest("hex").slice(0, 16);
}

export function install() {
  const lock = digest([readFileSync(path.join(ROOT, "package-lock.json")), process.version]);
  // Written last: node_modules of an installation that was killed has no marker.
  if (existsSync(MARKER) && readFileSync(MARKER, "utf8") === lock) {
    return;
  }
  const arguments_ = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const done = spawnSync("npm", arguments_, { cwd: ROOT, stdio: "inherit" });
  if (done.status !== 0) {
    const why = done.error ? done.error.message : `exit code ${done.status}`;
    console.error(`web-ui: npm ci failed (${why}); the console needs Node 20.19 or newer with npm.`);
    process.exit(1);
  }
  writeFileSync(MARKER, lock);
}

if (process.argv[1] === import.meta.filename) {
  install();
}
