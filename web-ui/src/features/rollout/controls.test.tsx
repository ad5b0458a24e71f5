import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { RolloutState } from "@/api/types.gen";
import { session } from "@/features/session";
import { rollout } from "@/testing/records";
import { json, problem, serve } from "@/testing/server";
import { RolloutControls } from "./RolloutControls";

beforeEach(() => {
  session.set({ token: "t", ended: null });
});

function show(role: string, state: RolloutState, refusal?: Response) {
  const sent = serve(({ path }) =>
    path === "/api/principal" ? json({ name: "bob", team: "sre", role }) : (refusal ?? json({})),
  );
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <RolloutControls rollout={rollout("r1", { state })} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), changes: () => sent.filter(({ method }) => method !== "GET") };
}

const offered = () => screen.queryAllByRole("button").map((button) => button.textContent);

it.each([
  ["Running", ["Pause", "Abort"]],
  ["Scheduled", ["Pause", "Abort"]],
  ["Paused", ["Resume", "Abort"]],
] as const)("offers what a %s rollout allows", async (state, commands) => {
  show("Operator", state);
  await screen.findAllByRole("button");
  expect(offered()).toEqual(commands);
});

it.each(["Aborting", "Aborted", "Succeeded"] as const)("offers nothing for a rollout that is %s", async (state) => {
  const { changes } = show("Operator", state);
  await new Promise((resolve) => setTimeout(resolve));
  expect(offered()).toEqual([]);
  expect(changes()).toEqual([]);
});

it("aborts only with a reason", async () => {
  const { user, changes } = show("Admin", "Running");
  await user.click(await screen.findByRole("button", { name: "Abort" }));
  const dialog = await screen.findByRole("dialog", { name: "Abort the rollout?" });
  const confirm = [...dialog.querySelectorAll("button")].find(({ textContent }) => textContent === "Abort");
  if (!confirm) {
    throw new Error("the dialog has no button that aborts");
  }
  await user.click(confirm);
  expect(await screen.findByText("Say why.")).toBeTruthy();
  expect(changes()).toEqual([]);
  await user.type(screen.getByRole("textbox"), "wrong release");
  await user.click(confirm);
  await expect.poll(changes).toHaveLength(1);
  expect(changes()[0]).toMatchObject({ path: "/api/rollouts/r1?action=abort", body: { reason: "wrong release" } });
});

it("shows what the server refuses", async () => {
  const { user } = show("Operator", "Paused", problem(409, "ROLLOUT_STATE", "rollout r1 is Succeeded"));
  await user.click(await screen.findByRole("button", { name: "Resume" }));
  const dialog = await screen.findByRole("dialog");
  await user.type(screen.getByRole("textbox"), "well");
  const confirm = [...dialog.querySelectorAll("button")].find(({ textContent }) => textContent === "Resume");
  await user.click(confirm ?? dialog);
  expect((await screen.findByRole("alert")).textContent).toContain("rollout r1 is Succeeded");
});
