import { Alert, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { IconAlertCircle } from "@tabler/icons-react";
import { useState, type SubmitEvent } from "react";
import { Problem } from "@/api/problem";
import { freezeQuery } from "@/api/queries";
import { freeze, unfreeze } from "@/api/resources";

const RETRIES = 4;
const REASON_MAX = 500;

const WORDS = {
  freeze: {
    title: "Freeze the fleet?",
    text: "From then on nobody is granted a host: no rollout, no other maintenance. What is held already goes on to its end.",
    placeholder: "Release 2 does not boot on the new hardware, INC-1234",
    button: "Freeze",
    color: "red.9", // The lighter reds are too pale under white letters.
  },
  unfreeze: {
    title: "Unfreeze the fleet?",
    text: "Everything that waits goes on at once, in the order of the queue.",
    placeholder: "The release was withdrawn, INC-1234",
    button: "Unfreeze",
    color: "sea",
  },
} as const;

/** Asks for the reason, which everybody sees and the audit keeps, and does it. */
export function BrakeDialog(props: {
  readonly action: keyof typeof WORDS;
  readonly opened: boolean;
  readonly onClose: () => void;
}) {
  const { action, opened, onClose } = props;
  const words = WORDS[action];
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const change = useMutation({
    mutationFn: action === "freeze" ? freeze : unfreeze,
    // Repeating either changes nothing.
    retry: (failures, error) => error instanceof Problem && error.isTemporary && failures < RETRIES,
    retryDelay: (failures) => 500 * 2 ** failures,
    onSuccess: () => {
      close();
    },
    onSettled: () => client.invalidateQueries({ queryKey: freezeQuery.queryKey }),
  });
  const close = () => {
    setReason("");
    setTried(false);
    change.reset();
    onClose();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (reason.trim() !== "") {
      change.mutate(reason.trim());
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={() => {
        if (!change.isPending) {
          close();
        }
      }}
      title={words.title}
      centered
      closeButtonProps={{ "aria-label": "Leave it as it is" }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text>{words.text}</Text>
          {change.isError && (
            <Alert color="red" icon={<IconAlertCircle />} role="alert">
              {said(change.error)}
            </Alert>
          )}
          <Textarea
            label="Reason"
            description="For everybody who waits, and for the audit trail."
            placeholder={words.placeholder}
            required
            withAsterisk
            autosize
            minRows={2}
            maxLength={REASON_MAX}
            data-autofocus
            value={reason}
            onChange={(event) => {
              setReason(event.currentTarget.value);
            }}
            error={tried && reason.trim() === "" ? "Say why." : undefined}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close} disabled={change.isPending}>
              Back
            </Button>
            <Button type="submit" color={words.color} loading={change.isPending}>
              {words.button}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** All the server says: what is wrong with the reason is only in the details. */
const said = (error: Error): string =>
  [
    error.message,
    ...(error instanceof Problem ? error.details.map(({ path, message }) => `${path} ${message}`) : []),
  ].join(" ");
