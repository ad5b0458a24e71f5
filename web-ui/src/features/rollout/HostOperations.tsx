import { Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconArrowBackUp, IconTrash } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { hostQuery } from "@/api/queries";
import { returnHost, undoWriteOff, writeOffHost } from "@/api/resources";
import { mayOperate, usePrincipal } from "@/features/session";
import { ReasonDialog, type ReasonWords } from "@/shared/ReasonDialog";

/** What people do with a host that is out of service: bring it back, or expect it no more; for those who may. */
export function HostOperations(props: {
  readonly host: string;
  readonly quarantined: boolean;
  /** Why it is not expected back; absent while it is. */
  readonly writtenOff: string | undefined;
}) {
  const { host } = props;
  if (!mayOperate(usePrincipal())) {
    return null;
  }
  if (props.writtenOff !== undefined) {
    return (
      <Operation
        host={host}
        icon={<IconArrowBackUp size={16} />}
        act={undoWriteOff}
        words={{
          title: `Expect ${host} back?`,
          text: `It is written off: ${props.writtenOff}. It counts again with the next report of its source.`,
          placeholder: "It was repaired after all",
          button: "Expect it back",
          color: "sea",
        }}
      />
    );
  }
  return (
    <Group gap="xs">
      {props.quarantined && <Return host={host} />}
      <Operation
        host={host}
        icon={<IconTrash size={16} />}
        act={writeOffHost}
        words={{
          title: `Write ${host} off?`,
          text: "No budget and no zone waits for it any more, and it leaves the rollouts in which it waits. Nothing is done on it.",
          placeholder: "Its board is broken, it is not replaced, INC-1234",
          button: "Write it off",
          color: "red",
        }}
      />
    </Group>
  );
}

function Return({ host }: { readonly host: string }) {
  return (
    <Operation
      host={host}
      icon={<IconArrowBackUp size={16} />}
      act={returnHost}
      words={{
        title: `Bring ${host} back?`,
        text: "A rollout of this host alone reads it, judges its health, starts its applications and puts it into rotation. Nothing is updated. If it is still ill it is quarantined again.",
        placeholder: "The fan was replaced, INC-1234",
        button: "Bring it back",
        color: "sea",
      }}
    />
  );
}

function Operation(props: {
  readonly host: string;
  readonly icon: ReactNode;
  readonly words: ReasonWords;
  readonly act: (host: string, reason: string) => Promise<void>;
}) {
  const { host, words } = props;
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={props.icon}
        onClick={() => {
          setOpened(true);
        }}
      >
        {words.button}
      </Button>
      <ReasonDialog
        words={words}
        opened={opened}
        onClose={() => {
          setOpened(false);
        }}
        act={(reason) => props.act(host, reason)}
        onSettled={() => client.invalidateQueries({ queryKey: hostQuery(host).queryKey })}
      />
    </>
  );
}
