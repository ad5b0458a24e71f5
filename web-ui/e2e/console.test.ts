import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFaults, launch, shoot, visit } from "./browser";
import { HOSTS, read, RELEASE, restartServer, token } from "./surroundings";

const ROLLOUT_MILLIS = 300_000;
const SERVER_MILLIS = 120_000;
let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
});

async function signIn(page: Page, given: string): Promise<void> {
  await page.getByPlaceholder("Paste your token").fill(given);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The cell of a host as soon as it is in this state. */
const cell = (page: Page, host: string, state: string) => page.locator(`[data-host="${host}"][data-state="${state}"]`);

test("a planted fault is found by the check of accessibility", async () => {
  const { context, page } = await visit(browser, []);
  await page.goto("/");
  await page.evaluate(() => {
    document
      .querySelector("main")
      ?.insertAdjacentHTML("beforeend", '<img src="/favicon.svg"><p style="color:#ccc;background:#fff">pale</p>');
  });
  expect((await axeFaults(page)).map((fault) => fault.split(":")[1]?.trim())).toEqual(
    expect.arrayContaining(["image-alt", "color-contrast"]),
  );
  await context.close();
});

test("sign-in, start, watch through a restart of the server, done", async () => {
  const complaints: string[] = [];
  const { context, page } = await visit(browser, complaints);

  // A wrong token is refused with words, and the page asked for comes after the right one.
  await page.goto("/rollouts/new");
  expect(await axeFaults(page)).toEqual([]);
  await signIn(page, "nobody-has-this");
  await page.getByRole("alert").getByText("This token is not known").waitFor();
  await shoot(page, "1-wrong-token");
  await signIn(page, token("sre"));
  await page.getByRole("heading", { name: "Start a rollout" }).waitFor();
  expect(await axeFaults(page)).toEqual([]);

  // All faults are shown at their lines: first those of the form, then those of the server.
  const hosts = page.getByRole("textbox", { name: "Hosts" });
  await page.getByRole("combobox", { name: "Release" }).click();
  await page.getByRole("option", { name: new RegExp(`^${RELEASE} `) }).click();
  await hosts.fill("# two of them\nno host\nh01\nh01");
  await page.getByText("Line 2:").waitFor();
  await page.getByText("Line 4:").waitFor();
  await hosts.fill(`# one is not there\n${HOSTS.join("\n")}\nh99`);
  await page.getByRole("textbox", { name: "Reason" }).fill("Kernel update, CHG-1234");
  await page.getByRole("button", { name: "Check and start" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText(`Line ${String(HOSTS.length + 2)}:`).waitFor();
  await shoot(page, "2-refused");
  expect(await axeFaults(page)).toEqual([]);

  // By labels: the hosts are named before anything starts.
  await page.getByText("By label").click();
  await page.getByRole("textbox", { name: "Labels" }).fill("rack=r1, os-family in (apt, dnf)");
  await page.getByRole("button", { name: "Check and start" }).click();
  await page.getByText("They have labels rack=r1, os-family in (apt, dnf) now:").waitFor();
  await page.getByText("They carry").waitFor();
  await shoot(page, "2-labels");
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Back", exact: true }).click();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByText("By name").click();

  // A double click starts one rollout.
  const before = (await read<{ elements: unknown[] }>("rollouts?count=1000")).elements.length;
  await hosts.fill(`${HOSTS.join("  # chosen\n")}\n`);
  await page.getByRole("button", { name: "Check and start" }).click();
  await page.getByText("They carry").waitFor();
  await shoot(page, "3-confirm");
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Start", exact: true }).dblclick();
  await page.getByRole("heading", { name: /^Rollout r\d+ to release/ }).waitFor();
  const rollout = page.url().split("/").at(-1) ?? "";
  expect((await read<{ elements: unknown[] }>("rollouts?count=1000")).elements.length).toBe(before + 1);

  // A second tab has the session of nobody, and follows the same rollout once it has one.
  const other = await context.newPage();
  await other.goto("/");
  await signIn(other, token("viewer"));
  await other.getByRole("link", { name: rollout, exact: true }).waitFor();
  expect(await other.getByRole("button", { name: "Start a rollout" }).count()).toBe(0);

  // Live: a host moves without anybody asking.
  await page.getByRole("status").getByText("Live").waitFor();
  await page.locator('[data-host][data-state="InProgress"]').first().waitFor({ timeout: ROLLOUT_MILLIS });
  await shoot(page, "4-running");
  expect(await axeFaults(page)).toEqual([]);
  await page.locator('[data-host][data-state="InProgress"]').first().click();
  await page.getByRole("dialog").getByRole("heading", { name: "Its way" }).waitFor();
  await shoot(page, "5-host");
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press("Escape");

  // The server goes away in mid rollout: it is said, and the stream goes on after the last event that was seen.
  const resumed: string[] = [];
  page.on("request", (request: Request) => {
    const last = request.headers()["last-event-id"];
    if (request.url().endsWith("/api/stream") && last !== undefined) {
      resumed.push(last);
    }
  });
  const restarted = restartServer();
  await page.getByRole("status").getByText("Reconnecting").waitFor({ timeout: SERVER_MILLIS });
  await restarted;
  await page.getByRole("status").getByText("Live").waitFor({ timeout: SERVER_MILLIS });
  expect(resumed).not.toEqual([]);

  // Done, in both tabs, without a reload, and the counts add up.
  for (const host of HOSTS) {
    await cell(page, host, "Upgraded").waitFor({ timeout: ROLLOUT_MILLIS });
  }
  await page.getByText(`${String(HOSTS.length)} of ${String(HOSTS.length)} hosts done`).waitFor();
  await page.getByText("Succeeded", { exact: true }).waitFor();
  await page.locator('[data-state="Upgraded"]', { hasText: "Upgraded" }).first().waitFor();
  await other.getByRole("listitem").filter({ hasText: rollout }).getByText("Succeeded").waitFor();
  await shoot(page, "6-done");
  await shoot(other, "7-list");
  expect(await axeFaults(page)).toEqual([]);
  expect(await axeFaults(other)).toEqual([]);

  // The brake: pulled with a reason in one tab, told in the other without a reload, and lifted.
  await page.getByRole("button", { name: "Freeze the fleet" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("Release 2 does not boot on new hardware, INC-1234");
  await shoot(page, "8-freeze");
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Freeze", exact: true }).click();
  await page.getByRole("alert").getByText("does not boot on new hardware").waitFor();
  await other.getByRole("alert").getByText("The fleet is frozen").waitFor();
  expect(await other.getByRole("button", { name: "Unfreeze…" }).count()).toBe(0);
  await shoot(page, "9-frozen");
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("button", { name: "Unfreeze…" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("It was the BIOS");
  await page.getByRole("button", { name: "Unfreeze", exact: true }).click();
  await page.getByText("The fleet is frozen").waitFor({ state: "detached" });
  await other.getByText("The fleet is frozen").waitFor({ state: "detached" });

  // What is not there is said, and signing out of one tab leaves nothing behind in it.
  await page.goto("/no/such/page");
  await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.goto("/rollouts/r999999");
  await page.getByRole("heading", { name: "There is no rollout r999999" }).waitFor();
  await page.getByRole("button", { name: /account menu/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Drydock" }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem("drydock.token"))).toBeNull();

  expect(complaints).toEqual([]);
  await context.close();
});
