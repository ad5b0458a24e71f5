import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import { session } from "@/features/session";
import { json, problem, serve } from "@/testing/server";
import { DecisionCount, DecisionsPage } from ".";

const LATE = {
  id: "g1.1",
  kind: "LateDrain",
  rollout: "r1",
  grant: "g1",
  hosts: ["h01"],
  step: "Drain",
  reason: "h01 was not drained within 300 s",
  facts: { pace: "Stuck" },
  state: "Open",
  askedAt: 1_000,
  expiresAt: 3_601_000,
  otherwise: "hosts are brought back, and tried again later",
  choices: [
    { option: "Wait", consequence: "hosts are drained again", needs: "an operator" },
    { option: "Force", consequence: "open requests fail", needs: "an operator", needsSecond: "an owner" },
  ],
};

beforeEach(() => {
  session.set({ token: "t", ended: null });
});

/** The page and the count of the navigation, over a server with these decisions. */
function show(role: string, decisions: readonly object[], refusal?: Response) {
  let open = decisions;
  const sent = serve(({ method, path }) => {
    if (path === "/api/principal") {
      return json({ name: "bob", team: "sre", role });
    }
    if (method === "GET") {
      return json({ elements: open });
    }
    if (refusal) {
      return refusal;
    }
    open = [];
    return json({ value: {} });
  });
  const route = createRootRoute({
    component: () => (
      <>
        <nav>
          <DecisionCount />
        </nav>
        <DecisionsPage />
      </>
    ),
  });
  const router = createRouter({ routeTree: route, history: createMemoryHistory() });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        {/* The router of a test is not the one of the console. */}
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { user: userEvent.setup(), answers: () => sent.filter(({ method }) => method !== "GET") };
}

it("tells what is asked, since when, and what happens with each answer and without one", async () => {
  show("Viewer", [LATE]);
  const card = await screen.findByRole("region", { name: "Decision g1.1" });
  expect(card.textContent).toContain("Not drained in time: h01 · Drain");
  expect(card.textContent).toContain("h01 was not drained within 300 s");
  expect(card.textContent).toMatch(/waits since .+ ago · without an answer by .+: hosts are brought back/);
  expect(card.textContent).toContain("open requests fail; needs a second person: an owner");
  expect(screen.getByRole("navigation").textContent).toBe("1 open");
  expect(within(card).queryByRole("button")).toBeNull();
});

it("answers once it was confirmed with a reason, and the decision goes", async () => {
  const { user, answers } = show("Owner", [LATE]);
  await user.click(await screen.findByRole("button", { name: "Wait" }));
  const dialog = await screen.findByRole("dialog", { name: "Wait: h01?" });
  expect(dialog.textContent).toContain("Then: hosts are drained again.");
  await user.type(within(dialog).getByRole("textbox", { name: /Reason/ }), "a backup runs");
  await user.click(within(dialog).getByRole("button", { name: "Wait" }));
  await screen.findByText("Nothing needs you");
  expect(answers()).toMatchObject([
    { path: "/api/decisions/g1.1?action=answer", body: { option: "Wait", reason: "a backup runs" } },
  ]);
  expect(screen.getByRole("navigation").textContent).toBe("");
});

it("says who asked for what waits for a second person", async () => {
  show("Owner", [{ ...LATE, state: "AwaitsApproval", proposed: "Force", proposedBy: "ann" }]);
  await screen.findByText("Force asked by ann, waits for a second person");
});

it("says what the server says when somebody else was faster", async () => {
  const refusal = problem(409, "DECISION_CLOSED", "decision g1.1 was decided already: Wait by ann");
  const { user } = show("Operator", [LATE], refusal);
  await user.click(await screen.findByRole("button", { name: "Wait" }));
  await user.type(await screen.findByRole("textbox", { name: /Reason/ }), "mine");
  await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Wait" }));
  await vi.waitFor(() => {
    expect(screen.getByRole("dialog").textContent).toContain("was decided already: Wait by ann");
  });
});
