import { Button, Card, Group, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { decisionsQuery } from "@/api/queries";
import { answerDecision } from "@/api/resources";
import type { Decision, DecisionChoice } from "@/api/types.gen";
import { mayAnswer, usePrincipal } from "@/features/session";
import { ReasonDialog } from "@/shared/ReasonDialog";
import { Ago, Moment } from "@/shared/Times";

const SUBJECTS: Readonly<Record<string, string>> = {
  BlockedBatch: "Hosts failed",
  LateDrain: "Not drained in time",
  RepairApproval: "A repair waits for approval",
};

/** One decision: what it is about, since when, what happens without an answer, and a button for each answer. */
export function DecisionCard({ decision }: { readonly decision: Decision }) {
  const may = mayAnswer(usePrincipal());
  const [choice, setChoice] = useState<DecisionChoice>();
  return (
    <Card withBorder component="section" aria-label={`Decision ${decision.id}`}>
      <Stack gap="xs">
        <Text fw={600}>
          {SUBJECTS[decision.kind] ?? decision.kind}: {decision.hosts.join(", ")} · {decision.step}
        </Text>
        <Text size="sm">{decision.reason}</Text>
        <Text size="sm" c="dimmed">
          Rollout{" "}
          <Link to="/rollouts/$rollout" params={{ rollout: decision.rollout }}>
            {decision.rollout}
          </Link>{" "}
          · waits since <Ago at={decision.askedAt} /> · without an answer
          {decision.expiresAt !== undefined && (
            <>
              {" "}
              by <Moment at={decision.expiresAt} />
            </>
          )}
          : {decision.otherwise}
        </Text>
        {decision.proposedBy !== undefined && (
          <Text size="sm" fw={600}>
            {decision.proposed} asked by {decision.proposedBy}, waits for a second person
          </Text>
        )}
        {decision.choices.map((one) => (
          <Group key={one.option} gap="sm" wrap="nowrap">
            {may ? (
              <Button
                size="xs"
                variant="default"
                onClick={() => {
                  setChoice(one);
                }}
              >
                {one.option}
              </Button>
            ) : (
              <Text size="sm" fw={600}>
                {one.option}
              </Text>
            )}
            <Text size="sm">{consequence(one)}</Text>
          </Group>
        ))}
      </Stack>
      <Answer
        decision={decision}
        choice={choice}
        onClose={() => {
          setChoice(undefined);
        }}
      />
    </Card>
  );
}

const consequence = (choice: DecisionChoice): string =>
  choice.needsSecond === undefined
    ? choice.consequence
    : `${choice.consequence}; needs a second person: ${choice.needsSecond}`;

function Answer(props: {
  readonly decision: Decision;
  readonly choice: DecisionChoice | undefined;
  readonly onClose: () => void;
}) {
  const client = useQueryClient();
  const { decision, choice } = props;
  if (choice === undefined) {
    return null;
  }
  return (
    <ReasonDialog
      words={{
        title: `${choice.option}: ${decision.hosts.join(", ")}?`,
        text: `${decision.reason}. Then: ${consequence(choice)}.`,
        placeholder: "The mirror is back, INC-1234",
        button: choice.option,
        color: "sea",
      }}
      opened
      onClose={props.onClose}
      act={(reason) => answerDecision(decision.id, choice.option, reason)}
      onSettled={() => client.invalidateQueries({ queryKey: decisionsQuery.queryKey })}
    />
  );
}
