import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { useCallback } from "react";
import { HostUpgradeStateValues } from "@/api/types.gen";
import { DecisionsPage, HostDecisions } from "@/features/decisions";
import { FILTERS, RolloutsPage, type RolloutsSearch } from "@/features/rollouts";
import { RolloutPage, type RolloutSearch } from "@/features/rollout";
import { StartPage } from "@/features/start";
import { ProblemAlert } from "@/shared/Feedback";
import { NotFound } from "./NotFound";
import { Shell } from "./Shell";

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => {
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- the router's way to redirect
    throw redirect({ to: "/rollouts" });
  },
});

const rollouts = createRoute({
  getParentRoute: () => root,
  path: "/rollouts",
  validateSearch: (search: Record<string, unknown>): RolloutsSearch => {
    const filter = FILTERS.find((known) => known === search.filter);
    const words = text(search.text);
    return { ...(filter && filter !== "all" ? { filter } : {}), ...(words ? { text: words } : {}) };
  },
  component: function Rollouts() {
    const navigate = rollouts.useNavigate();
    return (
      <RolloutsPage search={rollouts.useSearch()} onSearch={(search) => void navigate({ search, replace: true })} />
    );
  },
});

const decisions = createRoute({
  getParentRoute: () => root,
  path: "/decisions",
  component: DecisionsPage,
});

const start = createRoute({
  getParentRoute: () => root,
  path: "/rollouts/new",
  component: function Start() {
    const navigate = start.useNavigate();
    return <StartPage onStarted={(id) => void navigate({ to: "/rollouts/$rollout", params: { rollout: id } })} />;
  },
});

const rollout = createRoute({
  getParentRoute: () => root,
  path: "/rollouts/$rollout",
  validateSearch: (search: Record<string, unknown>): RolloutSearch => {
    const state = HostUpgradeStateValues.find((known) => known === search.state);
    const host = text(search.host);
    const application = text(search.application);
    return { ...(host ? { host } : {}), ...(state ? { state } : {}), ...(application ? { application } : {}) };
  },
  component: function OneRollout() {
    const navigate = rollout.useNavigate();
    const { rollout: id } = rollout.useParams();
    const onSearch = useCallback(
      (search: RolloutSearch) => void navigate({ search, replace: true, resetScroll: false }),
      [navigate],
    );
    return (
      <RolloutPage
        key={id}
        id={id}
        search={rollout.useSearch()}
        onSearch={onSearch}
        asked={(host) => <HostDecisions rollout={id} host={host} />}
      />
    );
  },
});

export const createConsoleRouter = () =>
  createRouter({
    routeTree: root.addChildren([home, rollouts, decisions, start, rollout]),
    defaultPreload: false,
    defaultErrorComponent: ({ error, reset }) => (
      <ProblemAlert error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
    ),
    scrollRestoration: true,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
