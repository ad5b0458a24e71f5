import { useQuery } from "@tanstack/react-query";
import { fetchPrincipal } from "@/api/resources";
import type { Principal } from "@/api/types.gen";
import { useStore } from "@/shared/store";
import { session } from "./session";

/** Who is signed in; undefined until the server has said so. */
export function usePrincipal(): Principal | undefined {
  const { token } = useStore(session);
  return useQuery({
    queryKey: ["principal"],
    queryFn: ({ signal }) => fetchPrincipal(token ?? "", signal),
    enabled: token !== null,
    staleTime: Infinity,
  }).data;
}

/** Whether the server would take a rollout from them, or let them stop all. */
export const mayOperate = (principal: Principal | undefined): boolean =>
  principal?.role === "Operator" || principal?.role === "Admin";

/** Whether the server would take an answer from them, at least about hosts of their team. */
export const mayAnswer = (principal: Principal | undefined): boolean =>
  mayOperate(principal) || principal?.role === "Owner";
