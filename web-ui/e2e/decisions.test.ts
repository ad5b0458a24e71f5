import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFaults, launch, shoot, visit } from "./browser";
import { HOSTS, read, token } from "./surroundings";

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});

afterAll(async () => {
  await browser.close();
});

test("what a late drain asks is answered on the page Needs you", async () => {
  const complaints: string[] = [];
  const { context, page } = await visit(browser, complaints);
  await page.goto("/decisions");
  await page.getByPlaceholder("Paste your token").fill(token("web-team"));
  await page.getByRole("button", { name: "Sign in" }).click();
  const card = page.getByRole("region", { name: /^Decision / }).filter({ hasText: HOSTS[0] ?? "" });
  await card.getByText("without an answer").waitFor();
  await card.getByText("open requests fail").waitFor();
  await shoot(page, "decision");
  expect(await axeFaults(page)).toEqual([]);
  const id = (await card.getAttribute("aria-label"))?.replace("Decision ", "") ?? "";

  await card.getByRole("button", { name: "Requeue" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("They leave in an hour");
  await shoot(page, "decision-confirm");
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Requeue" }).click();
  await card.waitFor({ state: "detached" });
  expect(await read(`decisions/${id}`)).toMatchObject({
    state: "Answered",
    answer: "Requeue",
    answeredBy: "web-team",
    answerReason: "They leave in an hour",
  });
  expect(complaints).toEqual([]);
  await context.close();
});
