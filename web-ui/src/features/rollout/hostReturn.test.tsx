import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { session } from "@/features/session";
import { json, serve } from "@/testing/server";
import { HostReturn } from "./HostReturn";

beforeEach(() => {
  session.set({ token: "t", ended: null });
});

function show(role: string) {
  const sent = serve(({ path }) =>
    path === "/api/principal" ? json({ name: "bob", team: "sre", role }) : json({ value: {} }),
  );
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <HostReturn host="h01" />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), changes: () => sent.filter(({ method }) => method !== "GET") };
}

it("brings a host back with a reason", async () => {
  const { user, changes } = show("Operator");
  await user.click(await screen.findByRole("button", { name: "Bring it back" }));
  const dialog = await screen.findByRole("dialog", { name: "Bring h01 back?" });
  await user.type(screen.getByRole("textbox"), "new fan");
  const confirm = [...dialog.querySelectorAll("button")].find(({ textContent }) => textContent === "Bring it back");
  if (!confirm) {
    throw new Error("the dialog has no button that brings it back");
  }
  await user.click(confirm);
  await expect.poll(() => changes().map(({ path }) => path)).toEqual(["/api/hostOperations?action=return"]);
});

it("offers nothing to those who only look", async () => {
  show("Viewer");
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.queryAllByRole("button")).toEqual([]);
});
