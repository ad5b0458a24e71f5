import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { session } from "@/features/session";
import { json, serve } from "@/testing/server";
import { RecoveryBanner } from ".";

beforeEach(() => {
  session.set({ token: "t", ended: null });
});

function show(recovery: object) {
  const sent = serve(() => json(recovery));
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <RecoveryBanner />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return sent;
}

it("tells which store was restored, how far its hosts are and what is waited for", async () => {
  show({
    recovering: true,
    behind: "etcd",
    reason: "etcd has beat 3, and is known to have had beat 9",
    since: 1_000,
    hosts: 5,
    read: 3,
    waitsFor: "hosts to be read back: h1, h2",
  });
  const banner = await screen.findByRole("alert");
  expect(banner.textContent).toContain("Recovery mode: etcd was restored");
  expect(banner.textContent).toMatch(/Noticed .+ ago\. 3 of 5 hosts read\. Waits for: hosts to be read back: h1, h2\./);
});

it("says what is known before both stores were joined", async () => {
  show({ recovering: true, behind: "PostgreSQL", since: 1_000, waitsFor: "what both stores know of is joined" });
  const banner = await screen.findByRole("alert");
  expect(banner.textContent).not.toContain("hosts read.");
});

it("is not there while both stores are of one time", async () => {
  const sent = show({ recovering: false });
  await vi.waitFor(() => {
    expect(sent).toHaveLength(1);
  });
  expect(screen.queryByRole("alert")).toBeNull();
});
