import { Alert, Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconAlertCircle } from "@tabler/icons-react";
import { useState, type SubmitEvent } from "react";
import { Problem } from "@/api/problem";

const RETRIES = 4;
const REASON_MAX = 500;

export interface ReasonWords {
  readonly title: string;
  /** What will happen. */
  readonly text: string;
  readonly placeholder: string;
  readonly button: string;
  readonly color: string;
}

/** Asks for the reason, which everybody sees and the audit keeps, and does it. Doing it again must change nothing. */
export function ReasonDialog(props: {
  readonly words: ReasonWords;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly act: (reason: string) => Promise<void>;
  /** Whether it was done or not: what is shown should be read again. */
  readonly onSettled: () => Promise<void>;
}) {
  const { words, opened, onClose } = props;
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const change = useMutation({
    mutationFn: props.act,
    retry: (failures, error) => error instanceof Problem && error.isTemporary && failures < RETRIES,
    retryDelay: (failures) => 500 * 2 ** failures,
    onSuccess: () => {
      close();
    },
    onSettled: props.onSettled,
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
