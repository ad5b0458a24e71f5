import axe from "axe-core";
import path from "node:path";
import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { SERVER, SHOTS } from "./surroundings";

/** The system's browser; without its sandbox, which refuses to work for root. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.DRYDOCK_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

/** A person's browser window. What goes wrong in a page is collected in `complaints`. */
export async function visit(browser: Browser, complaints: string[]): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({
    baseURL: SERVER,
    viewport: { width: 1400, height: 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
  });
  context.on("weberror", (error) => complaints.push(error.error().message));
  context.on("console", (message) => {
    // The browser itself notes every answer that is no 2xx and every lost connection; those are tested by what is shown.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  return { context, page: await context.newPage() };
}

/** Shows the page in a theme, as a system that changes it does. */
async function dress(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: "attached" });
}

/** What axe finds wrong on the page, in both themes; empty when it is clean. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const scheme of ["light", "dark"] as const) {
    await dress(page, scheme);
    // Evaluated, not added to the page: its policy allows no foreign script.
    await page.evaluate(axe.source);
    const violations = await page.evaluate(async () => {
      const found = await window.axe.run(document, { resultTypes: ["violations"] });
      return found.violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`,
      );
    });
    faults.push(...violations.map((violation) => `${scheme}: ${violation}`));
  }
  await dress(page, "light");
  return faults;
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** The page as people see it: both themes, wide and narrow. */
export async function shoot(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await dress(page, colorScheme);
    for (const width of [1400, 800]) {
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: path.join(SHOTS, `${name}-${colorScheme}-${String(width)}.png`) });
    }
  }
  await dress(page, "light");
  await page.setViewportSize({ width: 1400, height: 900 });
}
