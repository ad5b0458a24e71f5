import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { json, problem, serve, type Sent } from "@/testing/server";
import { StartPage } from "./StartPage";

const DRAFT = { draft: { release: "2", hosts: "# two\nh01\nh99", reason: "fix" }, attempt: null };

function show(submit: (sent: Sent) => Response | Promise<Response>) {
  sessionStorage.setItem("drydock.draft", JSON.stringify(DRAFT));
  const sent = serve((request) => {
    if (request.method === "POST") {
      return submit(request);
    }
    return request.path.startsWith("/api/releases")
      ? json({ elements: [{ name: "2", kernel: "6.2", channel: "", packages: {} }] })
      : json({ results: {}, elements: [] });
  });
  const onStarted = vi.fn();
  const route = createRootRoute({ component: () => <StartPage onStarted={onStarted} /> });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
        {/* eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unsafe-assignment -- a router of one page */}
        <RouterProvider router={createRouter({ routeTree: route }) as any} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  const posted = () => sent.filter(({ method }) => method === "POST").map(({ body }) => body);
  return { onStarted, posted };
}

async function start() {
  const user = userEvent.setup();
  await screen.findByDisplayValue(/kernel 6.2/);
  await user.click(screen.getByRole("button", { name: "Check and start" }));
  await user.click(await screen.findByRole("button", { name: "Start" }));
}

it("shows everything the server says, at its line or field", async () => {
  const { onStarted } = show(() =>
    problem(422, "INVALID_ROLLOUT", "The rollout has 3 faults; nothing was started.", [
      { path: "hosts[1]", message: 'no source reports a host named "h99"' },
      { path: "reason", message: "reason is too long" },
      { path: "mode", message: "mode is unknown" },
    ]),
  );
  await start();
  await screen.findByText("The rollout has 3 faults; nothing was started.");
  expect(screen.getByText("Line 3:").parentElement?.textContent).toContain("h99");
  screen.getByText("reason is too long");
  screen.getByText("mode: mode is unknown");
  expect(onStarted).not.toHaveBeenCalled();
});

it("asks again with the same id when the answer is lost, and so starts one rollout", async () => {
  let call = 0;
  const { onStarted, posted } = show(() =>
    ++call === 1 ? Promise.reject(new TypeError("Failed to fetch")) : json({}, 201, { "X-RestLi-Id": "r7" }),
  );
  await start();
  await vi.waitFor(
    () => {
      expect(onStarted).toHaveBeenCalledExactlyOnceWith("r7");
    },
    { timeout: 30_000 },
  );
  expect(posted()).toHaveLength(2);
  expect(posted()[0]).toEqual(posted()[1]);
  expect(posted()[0]).toMatchObject({ release: "2", hosts: ["h01", "h99"], reason: "fix" });
  expect(sessionStorage.getItem("drydock.draft")).toBeNull();
});

it("takes hosts by their labels, and tells which they are before it starts", async () => {
  const { onStarted, posted } = show(({ path }) =>
    path.includes("action=plan")
      ? json({ value: { steps: [{ hosts: ["h01", "h02"] }], waiting: [{ hosts: ["h07"] }], infeasible: [] } })
      : json({}, 201, { "X-RestLi-Id": "r8" }),
  );
  const user = userEvent.setup();
  await user.click(await screen.findByText("By label"));
  await user.click(screen.getByRole("button", { name: "Check and start" }));
  await screen.findByText("Say which labels the hosts have.");
  await user.type(screen.getByRole("textbox", { name: /^Labels/ }), " rack=r1 ");
  await start();
  await vi.waitFor(() => {
    expect(onStarted).toHaveBeenCalledExactlyOnceWith("r8");
  });
  const wanted = { release: "2", hosts: [], selector: "rack=r1", reason: "fix" };
  expect(posted()).toMatchObject([{ request: wanted }, wanted]);
});

it("shows the hosts of the labels in its last look, or why it cannot", async () => {
  let known = false;
  show(() =>
    known
      ? json({ value: { steps: [{ hosts: ["h01", "h02"] }], waiting: [], infeasible: [] } })
      : problem(422, "INVALID_ROLLOUT", "no host has such labels"),
  );
  const user = userEvent.setup();
  await user.click(await screen.findByText("By label"));
  await user.type(screen.getByRole("textbox", { name: /^Labels/ }), "rack=r1");
  await screen.findByDisplayValue(/kernel 6.2/);
  await user.click(screen.getByRole("button", { name: "Check and start" }));
  await screen.findByText("Which they are cannot be shown: no host has such labels", undefined, { timeout: 20_000 });
  await user.click(screen.getByRole("button", { name: "Back" }));

  known = true;
  await user.type(screen.getByRole("textbox", { name: /^Labels/ }), ",!spare");
  await user.click(screen.getByRole("button", { name: "Check and start" }));
  await screen.findByText(/They have labels rack=r1,!spare now: h01, h02\./);
  screen.getByText("2 hosts");
});

it("shows what is wrong with hosts that labels chose, whatever names were written before", async () => {
  show(({ path }) =>
    path.includes("action=plan")
      ? json({ value: { steps: [], waiting: [], infeasible: [{ hosts: ["h05", "h06"] }] } })
      : problem(422, "INVALID_ROLLOUT", "The rollout has 2 faults; nothing was started.", [
          { path: "hosts[1]", message: "h06 can never go" },
          { path: "hosts", message: "too many hosts" },
        ]),
  );
  const user = userEvent.setup();
  await user.click(await screen.findByText("By label"));
  await user.type(screen.getByRole("textbox", { name: /^Labels/ }), "rack=r1");
  await start();
  await screen.findByText("hosts[1]: h06 can never go");
  screen.getByText("too many hosts");
});
