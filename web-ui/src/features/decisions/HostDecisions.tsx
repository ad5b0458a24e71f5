import { Stack } from "@mantine/core";
import { DecisionCard } from "./DecisionCard";
import { useDecisions } from "./useDecisions";

/** What people are asked about one host of a rollout. */
export function HostDecisions(props: { readonly rollout: string; readonly host: string }) {
  const { data } = useDecisions();
  const its = (data ?? []).filter(({ rollout, hosts }) => rollout === props.rollout && hosts.includes(props.host));
  return its.length === 0 ? null : (
    <Stack gap="sm">
      {its.map((decision) => (
        <DecisionCard key={decision.id} decision={decision} />
      ))}
    </Stack>
  );
}
