// @vitest-environment node
import { ESLint } from "eslint";
import path from "node:path";
import { expect, it } from "vitest";

const ROOT = path.resolve(import.meta.dirname, "../..");

/** What the rules of the house say to a line in a file that exists. */
async function said(file: string, line: string): Promise<readonly string[]> {
  const eslint = new ESLint({
    cwd: ROOT,
    ruleFilter: ({ ruleId }) => ruleId === "no-restricted-imports",
    // The rule asks for no types, and knowing them takes ten seconds.
    overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  });
  const [result] = await eslint.lintText(`${line}\n`, { filePath: path.join(ROOT, file) });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId ?? "cannot be read");
}

it.each([
  ["src/features/rollout/facts.ts", 'import "@/features/rollouts";'],
  ["src/features/rollout/facts.ts", 'import "@/features/live/LiveBadge";'],
  ["src/features/rollout/facts.ts", 'import "@/app/theme";'],
  ["src/features/rollout/facts.ts", 'import "../live";'],
  ["src/shared/time.ts", 'import "@/features/live";'],
  ["src/api/live.ts", 'import "@/shared/time";'],
  ["src/app/theme.ts", 'import "@/features/live/LiveBadge";'],
])("%s may not say %s", async (file, line) => {
  expect(await said(file, line)).toEqual(["no-restricted-imports"]);
});

it.each([
  ["src/features/rollout/facts.ts", 'import "@/features/live";'],
  ["src/features/rollout/facts.ts", 'import "@/shared/time";'],
  ["src/app/theme.ts", 'import "@/features/rollouts";'],
])("%s may say %s", async (file, line) => {
  expect(await said(file, line)).toEqual([]);
});
