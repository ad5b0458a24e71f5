import { Alert, Badge, Button, Group, Loader, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconAlertTriangle, IconRocket } from "@tabler/icons-react";
import { fetchHosts, fetchPlanned } from "@/api/resources";
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
  const selected = useQuery({
    queryKey: ["planned", request.requestId, request.selector],
    queryFn: ({ signal }) => fetchPlanned(request, signal),
    enabled: request.selector !== "",
    refetchOnWindowFocus: false,
  });
  const names = request.selector === "" ? request.hosts : selected.data;
  return (
    <>
      <Text>
        <b>{names === undefined ? `The hosts with labels ${request.selector}` : counted(names.length)}</b> will be
        drained, upgraded to release <b>{request.release}</b>, verified and put back.
      </Text>
      {names !== undefined ? (
        <>
          {request.selector !== "" && (
            <Text size="sm" c="dimmed">
              They have labels {request.selector} now: {named(names)}. Hosts that are labelled so later do not join.
            </Text>
          )}
          <Carried names={names} request={request} />
        </>
      ) : (
        <Unknown error={selected.error} what="Which they are" />
      )}
    </>
  );
}

function Carried({ names, request }: { readonly names: readonly string[]; readonly request: Request }) {
  const hosts = useQuery({
    queryKey: ["preview", request.requestId, names],
    queryFn: ({ signal }) => fetchHosts(names, signal),
  });
  return hosts.data ? (
    <Seen preview={previewOf(names, hosts.data, request.release)} />
  ) : (
    <Unknown error={hosts.error} what="What runs on them" />
  );
}

/** Not yet, or not to be found out. */
function Unknown({ error, what }: { readonly error: Error | null; readonly what: string }) {
  return error === null ? (
    <Loader size="sm" aria-label="Looking at the hosts" />
  ) : (
    <Text size="sm" c="dimmed">
      {what} cannot be shown: {error.message}
    </Text>
  );
}

const counted = (hosts: number) => (hosts === 1 ? "1 host" : `${String(hosts)} hosts`);

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
