import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { promisify } from "node:util";

function needed(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") {
    throw new Error(`${name} is not set: run this by lab/e2e/test_console.py`);
  }
  return value;
}

/** The installation the tests drive. */
export const SERVER = needed("DRYDOCK_URL");
export const HOSTS = needed("DRYDOCK_HOSTS").split(",");
export const RELEASE = needed("DRYDOCK_RELEASE");
/** Where screenshots are kept. */
export const SHOTS = needed("DRYDOCK_SHOTS");

export const token = (principal: string): string =>
  readFileSync(path.join(needed("DRYDOCK_TOKENS"), principal), "utf8").trim();

/** Stops the server in order and starts it again. */
export async function restartServer(): Promise<void> {
  const stack = needed("DRYDOCK_STACK");
  const run = promisify(execFile);
  await run("python3", [stack, "down", "--only", "server"]);
  await run("python3", [stack, "up"]);
}

/** A read on the public API, beside the console. */
export async function read<T>(resource: string): Promise<T> {
  const headers = { Authorization: `Bearer ${token("viewer")}`, "X-RestLi-Protocol-Version": "2.0.0" };
  const answer = await fetch(`${SERVER}/api/${resource}`, { headers });
  if (!answer.ok) {
    throw new Error(`${resource} was answered with ${String(answer.status)}`);
  }
  return (await answer.json()) as T;
}
