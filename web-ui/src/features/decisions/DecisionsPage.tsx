import { Skeleton, Stack, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { Empty, ProblemAlert } from "@/shared/Feedback";
import { useTitle } from "@/shared/useTitle";
import { DecisionCard } from "./DecisionCard";
import { useDecisions } from "./useDecisions";

/** Everything that waits for an answer of people. */
export function DecisionsPage() {
  useTitle("Needs you");
  const { data, error, refetch } = useDecisions();
  if (!data) {
    return error ? <ProblemAlert error={error} retry={() => void refetch()} /> : <Skeleton height={160} />;
  }
  if (data.length === 0) {
    return <Empty whole icon={IconCircleCheck} title="Nothing needs you" text="No batch waits for an answer." />;
  }
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Needs you
      </Title>
      {data.map((decision) => (
        <DecisionCard key={decision.id} decision={decision} />
      ))}
    </Stack>
  );
}
