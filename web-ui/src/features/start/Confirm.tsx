import { Alert, Badge, Button, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconAlertTriangle, IconRocket } from "@tabler/icons-react";
import { fetchHosts } from "@/api/resources";
import type { Request } from "./draft";
import { previewOf, type Preview } from "./preview";

const NAMES_SHOWN = 8;

/** The last look before hosts go down. */
export function Confirm(props: {
  readonly request: Request | undefined;
  readonly pending: boolean;
  readonly retrying: boolean;
  readonly onStart: (request: Request) => void;
  readonly onClose: () => void;
}) {
  const { request } = props;
  return (
    <Modal
      opened={request !== undefined}
      onClose={() => {
        if (!props.pending) {
          props.onClose();
        }
      }}
      title="Start this rollout?"
      size="md"
      centered
      closeButtonProps={{ "aria-label": "Back to the form" }}
    >
      {request && (
        <Stack gap="md">
          <Text>
            <b>{request.hosts.length === 1 ? "1 host" : `${String(request.hosts.length)} hosts`}</b> will be drained,
            upgraded to release <b>{request.release}</b>, verified and put back.
          </Text>
          <Look request={request} />
          {props.retrying && (
            <Text size="sm" c="dimmed" role="status">
              No answer yet; asking again for the same rollout…
            </Text>
          )}
          <Group justify="flex-end" mt="sm">
            <Button variant="default" onClick={props.onClose} disabled={props.pending}>
              Back
            </Button>
            <Button
              leftSection={<IconRocket size={16} />}
              loading={props.pending}
              data-autofocus
              onClick={() => {
                props.onStart(request);
              }}
            >
              Start
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Look({ request }: { readonly request: Request }) {
  const hosts = useQuery({
    queryKey: ["preview", request.requestId, request.hosts],
    queryFn: ({ signal }) => fetchHosts(request.hosts, signal),
  });
  if (hosts.isPending) {
    return <Loader size="sm" aria-label="Looking at the hosts" />;
  }
  if (!hosts.data) {
    return (
      <Text size="sm" c="dimmed">
        What runs on them cannot be shown: {hosts.error.message}
      </Text>
    );
  }
  return <Seen preview={previewOf(request.hosts, hosts.data, request.release)} />;
}

function Seen({ preview }: { readonly preview: Preview }) {
  return (
    <>
      {preview.applications.length > 0 && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            They carry
          </Text>
          {preview.applications.map(({ name, hosts }) => (
            <Badge key={name} variant="light" tt="none" size="lg">
              {name} on {hosts}
            </Badge>
          ))}
        </Group>
      )}
      {preview.already.length > 0 && (
        <Text size="sm" c="dimmed">
          Already on this release: {named(preview.already)}.
        </Text>
      )}
      {preview.unknown.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle />}>
          Nobody reports {named(preview.unknown)}: the server will refuse the submission.
        </Alert>
      )}
    </>
  );
}

function named(names: readonly string[]): string {
  const rest = names.length - NAMES_SHOWN;
  return names.slice(0, NAMES_SHOWN).join(", ") + (rest > 0 ? ` and ${String(rest)} more` : "");
}
