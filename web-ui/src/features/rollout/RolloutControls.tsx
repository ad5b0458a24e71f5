import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from "@tabler/icons-react";
import { useState } from "react";
import { hostUpgradesQuery, rolloutQuery } from "@/api/queries";
import { commandRollout, type RolloutCommand } from "@/api/resources";
import type { Rollout, RolloutState } from "@/api/types.gen";
import { mayOperate, usePrincipal } from "@/features/session";
import { ReasonDialog, type ReasonWords } from "@/shared/ReasonDialog";

const ICONS = { pause: IconPlayerPause, resume: IconPlayerPlay, abort: IconPlayerStop } as const;

const WORDS: Readonly<Record<RolloutCommand, ReasonWords>> = {
  pause: {
    title: "Pause the rollout?",
    text: "No further host begins. Hosts in progress go on to their end.",
    placeholder: "Looking at the first hosts, INC-1234",
    button: "Pause",
    color: "sea",
  },
  resume: {
    title: "Resume the rollout?",
    text: "Hosts begin again, as many at a time as the policies allow.",
    placeholder: "The first hosts are well",
    button: "Resume",
    color: "sea",
  },
  abort: {
    title: "Abort the rollout?",
    text: "No further host begins, and hosts whose update has not begun are brought back as they were found. Updates that have begun go on to their end. This cannot be taken back.",
    placeholder: "Release 2 was withdrawn, INC-1234",
    button: "Abort",
    color: "red.9", // The lighter reds are too pale under white letters.
  },
};

/** What the state of a rollout allows. */
const ALLOWED: Readonly<Record<RolloutState, readonly RolloutCommand[]>> = {
  Scheduled: ["pause", "abort"],
  Running: ["pause", "abort"],
  Paused: ["resume", "abort"],
  Aborting: [],
  Succeeded: [],
  Degraded: [],
  Aborted: [],
};

/** A newer server may know states we do not: nothing is offered then. */
const commandsOf = (state: RolloutState): readonly RolloutCommand[] =>
  (ALLOWED as Readonly<Record<string, readonly RolloutCommand[] | undefined>>)[state] ?? [];

/** Buttons for those who may use them. */
export function RolloutControls({ rollout }: { readonly rollout: Rollout }) {
  const client = useQueryClient();
  const may = mayOperate(usePrincipal());
  const [asked, setAsked] = useState<RolloutCommand>("pause");
  const [opened, setOpened] = useState(false);
  if (!may) {
    return null;
  }
  return (
    <Group gap="xs">
      {commandsOf(rollout.state).map((command) => {
        const Icon = ICONS[command];
        return (
          <Button
            key={command}
            variant="default"
            size="xs"
            leftSection={<Icon size={16} />}
            onClick={() => {
              setAsked(command);
              setOpened(true);
            }}
          >
            {WORDS[command].button}
          </Button>
        );
      })}
      <ReasonDialog
        words={WORDS[asked]}
        opened={opened}
        onClose={() => {
          setOpened(false);
        }}
        act={(reason) => commandRollout(rollout.id, asked, reason)}
        onSettled={async () => {
          await client.invalidateQueries({ queryKey: rolloutQuery(rollout.id).queryKey });
          await client.invalidateQueries({ queryKey: hostUpgradesQuery(rollout.id).queryKey });
        }}
      />
    </Group>
  );
}
