import { MantineProvider } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Problem } from "@/api/problem";
import { LiveProvider } from "@/features/live";
import { session, SignInPage } from "@/features/session";
import { useStore } from "@/shared/store";
import { createConsoleRouter } from "./router";
import { theme } from "./theme";

const RETRIES_MAX = 2;

const createCache = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // Whether the browser thinks it is online says nothing about a server on this network.
        networkMode: "always",
        staleTime: 5_000,
        retry: (failures, error) => error instanceof Problem && error.isTemporary && failures < RETRIES_MAX,
        retryDelay: (failures) => 300 * 2 ** failures,
      },
      mutations: { networkMode: "always" },
    },
  });

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <Signed />
    </MantineProvider>
  );
}

/** A cache for each session: nobody sees what another was shown. */
function Signed() {
  const { token } = useStore(session);
  const [router] = useState(createConsoleRouter);
  const [signingIn] = useState(createCache);
  if (token === null) {
    return (
      <QueryClientProvider client={signingIn}>
        <SignInPage />
      </QueryClientProvider>
    );
  }
  return <SignedIn key={token} router={router} />;
}

function SignedIn({ router }: { readonly router: ReturnType<typeof createConsoleRouter> }) {
  const [cache] = useState(createCache);
  useEffect(
    () => () => {
      cache.clear();
    },
    [cache],
  );
  return (
    <QueryClientProvider client={cache}>
      <LiveProvider>
        <RouterProvider router={router} />
      </LiveProvider>
    </QueryClientProvider>
  );
}
