// Builds the console into target/classes/console, if a source changed since it was built.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { digest, install, ROOT } from "./install.mjs";

const SOURCES = ["src", "public", "build", "index.html", "vite.config.ts", "package-lock.json"];
const OUTPUT = path.join(ROOT, "target", "classes", "console");
const MARKER = path.join(ROOT, "target", "console-sources");
const PACKED = /\.(js|css|html|svg)$/;

function filesUnder(name) {
  const file = path.join(ROOT, name);
  if (!statSync(file).isDirectory()) {
    return [name];
  }
  const inside = readdirSync(file, { recursive: true, withFileTypes: true });
  return inside
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)));
}

const names = SOURCES.flatMap(filesUnder)
  .filter((name) => !/\.test\.tsx?$/.test(name))
  .sort();
const sources = digest(names.flatMap((name) => [name, readFileSync(path.join(ROOT, name))]));
const upToDate =
  existsSync(path.join(OUTPUT, "index.html")) && existsSync(MARKER) && readFileSync(MARKER, "utf8") === sources;
if (!upToDate) {
  rmSync(MARKER, { force: true });
  install();
  const { build } = await import("vite");
  await build({ root: ROOT, logLevel: "warn", build: { outDir: OUTPUT, emptyOutDir: true } });
  for (const entry of readdirSync(OUTPUT, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && PACKED.test(entry.name)) {
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
  }
  writeFileSync(MARKER, sources);
  process.stdout.write("web-ui: built the console\n");
}
