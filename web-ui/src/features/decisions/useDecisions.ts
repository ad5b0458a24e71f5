import { useQuery } from "@tanstack/react-query";
import { decisionsQuery } from "@/api/queries";
import { useRefetchInterval } from "@/features/live";

/** What waits for an answer of people, kept up to date. */
export const useDecisions = () => useQuery({ ...decisionsQuery, refetchInterval: useRefetchInterval() });
