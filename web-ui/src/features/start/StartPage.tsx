import {
  Alert,
  Anchor,
  Breadcrumbs,
  Button,
  Card,
  FileButton,
  Group,
  List,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconAlertCircle, IconArrowRight, IconUpload } from "@tabler/icons-react";
import { useEffect, useState, type SubmitEvent } from "react";
import { Problem } from "@/api/problem";
import { releasesQuery } from "@/api/queries";
import { startRollout } from "@/api/resources";
import { mayOperate, usePrincipal } from "@/features/session";
import { ProblemAlert } from "@/shared/Feedback";
import { useTitle } from "@/shared/useTitle";
import { Confirm } from "./Confirm";
import { attemptOf, newRequestId, readKept, requestOf, writeKept, type Request } from "./draft";
import { parseHosts, placed, type LineFault } from "./hostsText";
import classes from "./StartPage.module.css";

const FILE_BYTES_MAX = 4 * 1024 * 1024;
const RETRIES = 4;

/** Hosts or their labels, a release and a reason: what the command line's `rollout start` takes. */
export function StartPage({ onStarted }: { readonly onStarted: (id: string) => void }) {
  useTitle("Start a rollout");
  const [kept] = useState(readKept);
  const [draft, setDraft] = useState(kept.draft);
  const [attempt, setAttempt] = useState(kept.attempt);
  const [tried, setTried] = useState(false);
  const [fileFault, setFileFault] = useState<string>();
  const [confirming, setConfirming] = useState<Request>();
  const releases = useQuery(releasesQuery);
  const principal = usePrincipal();
  useEffect(() => {
    writeKept({ draft, attempt });
  }, [draft, attempt]);
  const start = useMutation({
    mutationFn: startRollout,
    retry: (failures, error) => error instanceof Problem && error.isTemporary && failures < RETRIES,
    retryDelay: (failures) => 500 * 2 ** failures,
    onSuccess: (id) => {
      setConfirming(undefined);
      writeKept(null);
      onStarted(id);
    },
    onError: () => {
      setConfirming(undefined);
    },
  });
  const parsed = parseHosts(draft.hosts);
  const lines = draft.by === "names" ? parsed.entries : []; // Faults of hosts that labels chose are in no line of the form.
  const said = placed(start.error instanceof Problem ? start.error.details : [], lines);
  const known = releases.data?.some((release) => release.name === draft.release) ?? false;
  const chosen =
    draft.by === "names" ? parsed.entries.length > 0 && parsed.faults.length === 0 : draft.selector.trim() !== "";
  const ready = known && chosen;
  const change = (changed: Partial<typeof draft>) => {
    setDraft({ ...draft, ...changed });
    setTried(false);
    setFileFault(undefined);
    start.reset();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (ready) {
      setConfirming(
        requestOf(
          draft,
          parsed.entries.map((entry) => entry.host),
          attempt,
          newRequestId,
        ),
      );
    }
  };
  const upload = async (file: File | null) => {
    if (file === null) {
      return;
    }
    if (file.size > FILE_BYTES_MAX) {
      setFileFault(`${file.name} has more than 4 MB; a list of hosts is shorter.`);
      return;
    }
    const text = await file.text();
    if (text.includes("\u0000") || text.includes("\uFFFD")) {
      setFileFault(`${file.name} is not UTF-8 text.`);
      return;
    }
    change({ hosts: text });
  };
  return (
    <Stack gap="lg" className={classes.page}>
      <div>
        <Breadcrumbs mb="xs" component="nav" aria-label="Where you are">
          <Anchor component={Link} to="/rollouts" size="sm">
            Rollouts
          </Anchor>
          <Text size="sm" c="dimmed">
            Start
          </Text>
        </Breadcrumbs>
        <Title order={1}>Start a rollout</Title>
        <Text c="dimmed" mt={4}>
          The hosts you choose go to the release, as many at a time as the teams' policies allow.
        </Text>
      </div>
      {principal && !mayOperate(principal) && (
        <Alert color="yellow" icon={<IconAlertCircle />}>
          Your role is {principal.role}. Only an operator can start a rollout; the server will refuse it from you.
        </Alert>
      )}
      {releases.isError && <ProblemAlert error={releases.error} retry={() => void releases.refetch()} />}
      {start.isError && <Refusal error={start.error} others={said.other} />}
      <Card withBorder padding="xl">
        <form onSubmit={submit} noValidate>
          <Stack gap="lg">
            <Select
              label="Release"
              description="Where the hosts go, from the catalogue."
              placeholder={releases.isPending ? "Loading the catalogue…" : "Choose a release"}
              nothingFoundMessage="No release of this name; add one with drydock release add."
              searchable
              required
              withAsterisk
              data={(releases.data ?? []).map((release) => ({
                value: release.name,
                label: `${release.name} – kernel ${release.kernel}`,
              }))}
              value={draft.release === "" ? null : draft.release}
              onChange={(value) => {
                change({ release: value ?? "" });
              }}
              error={fault(said.release, tried && !known, "Choose a release of the catalogue.")}
            />
            <SegmentedControl
              aria-label="How the hosts are chosen"
              value={draft.by}
              onChange={(by) => {
                change({ by: by === "labels" ? "labels" : "names" });
              }}
              data={[
                { value: "names", label: "By name" },
                { value: "labels", label: "By label" },
              ]}
            />
            {draft.by === "labels" ? (
              <TextInput
                label="Labels"
                description="The hosts that have all of these now; those labelled so later do not join."
                placeholder="rack=r1, os-family in (apt, dnf), !spare"
                required
                withAsterisk
                spellCheck={false}
                autoCapitalize="off"
                autoCorrect="off"
                value={draft.selector}
                onChange={(event) => {
                  change({ selector: event.currentTarget.value });
                }}
                error={fault([...said.selector, ...said.hosts], tried && !chosen, "Say which labels the hosts have.")}
              />
            ) : (
              <div>
                <Textarea
                  label="Hosts"
                  description="One name per line, in any order: the plan says who goes first. # starts a comment."
                  placeholder={"h01\nh02  # the canary\nh03"}
                  classNames={{ input: classes.hosts ?? "" }}
                  autosize
                  minRows={8}
                  maxRows={22}
                  required
                  withAsterisk
                  spellCheck={false}
                  autoCapitalize="off"
                  autoCorrect="off"
                  value={draft.hosts}
                  onChange={(event) => {
                    change({ hosts: event.currentTarget.value });
                  }}
                  error={fault(
                    fileFault === undefined ? said.hosts : [fileFault],
                    tried && parsed.entries.length === 0,
                    "Name at least one host.",
                  )}
                />
                <Group justify="space-between" align="center" mt={6}>
                  <Text component="span" size="sm" c="dimmed" className="dd-numbers" aria-live="polite">
                    {parsed.entries.length === 1 ? "1 host" : `${String(parsed.entries.length)} hosts`}
                  </Text>
                  <FileButton accept="text/plain,.txt,.list,.hosts" onChange={(file) => void upload(file)}>
                    {(button) => (
                      <Button {...button} variant="default" size="xs" leftSection={<IconUpload size={14} />}>
                        Take a file
                      </Button>
                    )}
                  </FileButton>
                </Group>
                <LineFaults faults={[...parsed.faults, ...said.lines]} />
              </div>
            )}
            <TextInput
              label="Reason"
              description="Why, for the audit trail and for whoever looks at the rollout."
              placeholder="Kernel security update, CHG-1234"
              maxLength={4000}
              value={draft.reason}
              onChange={(event) => {
                change({ reason: event.currentTarget.value });
              }}
              error={fault(said.reason, false, "")}
            />
            <Group justify="flex-end">
              <Button component={Link} to="/rollouts" variant="default">
                Cancel
              </Button>
              <Button type="submit" rightSection={<IconArrowRight size={16} />} disabled={tried && !ready}>
                Check and start
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
      <Confirm
        request={confirming}
        pending={start.isPending}
        retrying={start.failureCount > 0}
        onStart={(request) => {
          setAttempt(attemptOf(request));
          start.mutate(request);
        }}
        onClose={() => {
          setConfirming(undefined);
        }}
      />
    </Stack>
  );
}

function fault(messages: readonly string[], missing: boolean, text: string): string | null {
  return messages.length > 0 ? messages.join(" ") : missing ? text : null;
}

const FAULTS_SHOWN = 50;

function LineFaults({ faults }: { readonly faults: readonly LineFault[] }) {
  if (faults.length === 0) {
    return null;
  }
  const shown = [...faults].sort((a, b) => a.line - b.line).slice(0, FAULTS_SHOWN);
  return (
    <div className={classes.faults} data-tone="bad" role="alert">
      <List size="sm" listStyleType="none">
        {shown.map(({ line, message }) => (
          <List.Item key={`${String(line)} ${message}`}>
            <b className="dd-numbers">Line {line}:</b> {message}
          </List.Item>
        ))}
      </List>
      {faults.length > shown.length && <Text size="sm">and {faults.length - shown.length} more</Text>}
    </div>
  );
}

function Refusal({ error, others }: { readonly error: Error; readonly others: readonly string[] }) {
  const unanswered = error instanceof Problem && error.isTemporary;
  return (
    <Alert
      color="red"
      icon={<IconAlertCircle />}
      role="alert"
      title={unanswered ? "No answer: it may have started" : "Nothing was started"}
    >
      {error.message}
      {unanswered && " Start it again as it is: the same submission never starts a second rollout."}
      {others.length > 0 && (
        <List size="sm" mt="xs">
          {others.map((other) => (
            <List.Item key={other}>{other}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
