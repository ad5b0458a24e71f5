import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { session } from "@/features/session";
import { json, serve } from "@/testing/server";
import { HostOperations } from "./HostOperations";

beforeEach(() => {
  session.set({ token: "t", ended: null });
});

function show(role: string, writtenOff?: string) {
  const sent = serve(({ path }) =>
    path === "/api/principal" ? json({ name: "bob", team: "sre", role }) : json({ value: {} }),
  );
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <HostOperations host="h01" quarantined writtenOff={writtenOff} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), changes: () => sent.filter(({ method }) => method !== "GET") };
}

it.each([
  ["Bring it back", "Bring h01 back?", "return", undefined],
  ["Write it off", "Write h01 off?", "writeOff", undefined],
  ["Expect it back", "Expect h01 back?", "undoWriteOff", "burnt"],
])("%s: with a reason", async (label, title, action, writtenOff) => {
  const { user, changes } = show("Operator", writtenOff);
  await user.click(await screen.findByRole("button", { name: label }));
  const dialog = await screen.findByRole("dialog", { name: title });
  await user.type(screen.getByRole("textbox"), "INC-1234");
  const confirm = [...dialog.querySelectorAll("button")].find(({ textContent }) => textContent === label);
  if (!confirm) {
    throw new Error(`the dialog has no button ${label}`);
  }
  await user.click(confirm);
  await expect.poll(() => changes().map(({ path }) => path)).toEqual([`/api/hostOperations?action=${action}`]);
});

it("offers nothing to those who only look", async () => {
  show("Viewer");
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.queryAllByRole("button")).toEqual([]);
});
