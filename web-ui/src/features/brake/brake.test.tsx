import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { session } from "@/features/session";
import { json, problem, serve } from "@/testing/server";
import { BrakeBanner, FreezeButton } from ".";

const FROZEN = { frozen: true, by: "ann", reason: "release 2 does not boot", since: 1_000 };

beforeEach(() => {
  session.set({ token: "t", ended: null });
});

/** Both parts of the header over a server with a brake. */
function show(role: string, before: object, refusal?: Response) {
  let brake = before;
  const sent = serve(({ method, path, body }) => {
    if (path === "/api/principal") {
      return json({ name: "bob", team: "sre", role });
    }
    if (method === "GET") {
      return json(brake);
    }
    if (refusal) {
      return refusal;
    }
    brake =
      method === "PUT" ? { ...FROZEN, by: "bob", reason: (body as { reason: string }).reason } : { frozen: false };
    return new Response(null, { status: 204 });
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <FreezeButton />
        <BrakeBanner />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const changes = () => sent.filter(({ method }) => method !== "GET");
  return { user: userEvent.setup(), changes };
}

it("tells everybody who froze the fleet, since when and why", async () => {
  show("Viewer", FROZEN);
  const banner = await screen.findByRole("alert");
  expect(banner.textContent).toContain("The fleet is frozen");
  expect(banner.textContent).toMatch(/By ann .+ ago: release 2 does not boot/);
  expect(within(banner).getByText(/ago/).getAttribute("datetime")).toBe("1970-01-01T00:00:01.000Z");
});

it("offers no brake to those who may not pull it", async () => {
  show("Viewer", FROZEN);
  await screen.findByRole("alert");
  expect(screen.queryByRole("button")).toBeNull();
});

it("freezes only with a reason, and then says so", async () => {
  const { user, changes } = show("Operator", { frozen: false });
  await user.click(await screen.findByRole("button", { name: "Freeze the fleet" }));
  await user.click(await screen.findByRole("button", { name: "Freeze" }));
  await screen.findByText("Say why.");
  await user.type(screen.getByRole("textbox", { name: /Reason/ }), "   ");
  await user.click(screen.getByRole("button", { name: "Freeze" }));
  expect(changes()).toEqual([]);

  await user.type(screen.getByRole("textbox", { name: /Reason/ }), "bad kernel ");
  await user.click(screen.getByRole("button", { name: "Freeze" }));
  await vi.waitFor(() => {
    expect(screen.getByRole("alert").textContent).toContain("bad kernel");
  });
  expect(changes()).toMatchObject([{ method: "PUT", path: "/api/freeze", body: { reason: "bad kernel" } }]);
  expect(screen.queryByRole("button", { name: "Freeze the fleet" })).toBeNull();
});

it("unfreezes with a reason, and the banner goes", async () => {
  const { user, changes } = show("Admin", FROZEN);
  await user.click(await screen.findByRole("button", { name: "Unfreeze…" }));
  await user.type(await screen.findByRole("textbox", { name: /Reason/ }), "with, drawn & (done)");
  await user.click(screen.getByRole("button", { name: "Unfreeze" }));
  await vi.waitFor(() => {
    expect(screen.queryByRole("alert")).toBeNull();
  });
  expect(changes().map(({ method, path }) => `${method} ${path}`)).toEqual([
    "DELETE /api/freeze?reason=with%2C%20drawn%20%26%20%28done%29&since=1000",
  ]);
});

it("says what the server says when somebody else was faster", async () => {
  const refusal = problem(409, "ALREADY_FROZEN", "the fleet is frozen by ann (bad kernel)");
  const { user } = show("Operator", { frozen: false }, refusal);
  await user.click(await screen.findByRole("button", { name: "Freeze the fleet" }));
  await user.type(await screen.findByRole("textbox", { name: /Reason/ }), "mine");
  await user.click(screen.getByRole("button", { name: "Freeze" }));
  await screen.findByText("the fleet is frozen by ann (bad kernel)");
});
