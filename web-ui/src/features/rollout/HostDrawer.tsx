import { CopyButton, Drawer, Group, Skeleton, Stack, Table, Text, Title, UnstyledButton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { hostQuery } from "@/api/queries";
import type { Host, HostUpgrade } from "@/api/types.gen";
import { ProblemAlert } from "@/shared/Feedback";
import { HOST_LOOK, lookOf } from "@/shared/states";
import { StateBadge } from "@/shared/StateBadge";
import { Elapsed, Moment } from "@/shared/Times";
import { EventList } from "./EventList";
import { pairedFacts } from "./facts";
import { HostOperations } from "./HostOperations";
import { lockWords } from "./lockWords";
import { eachReason } from "./reasons";
import { StepList } from "./StepList";
import classes from "./HostDrawer.module.css";

/** Everything about one host of the rollout; the rollout stays visible beside it. */
export function HostDrawer(props: {
  readonly row: HostUpgrade | undefined;
  readonly onClose: () => void;
  /** What people are asked about a host. */
  readonly asked: (host: string) => ReactNode;
}) {
  const { row } = props;
  return (
    <Drawer
      opened={row !== undefined}
      onClose={props.onClose}
      position="right"
      size="lg"
      overlayProps={{ backgroundOpacity: 0.25 }}
      title={row ? <Heading row={row} /> : null}
      closeButtonProps={{ "aria-label": "Close the details" }}
    >
      {row && <Details key={row.host} row={row} asked={props.asked(row.host)} />}
    </Drawer>
  );
}

function Heading({ row }: { readonly row: HostUpgrade }) {
  return (
    <Group gap="sm">
      <Text component="span" size="xl" fw={650}>
        {row.host}
      </Text>
      <CopyButton value={row.host}>
        {({ copied, copy }) => (
          <UnstyledButton onClick={copy} aria-label={copied ? "Copied" : `Copy the name ${row.host}`} c="dimmed" lh={1}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </UnstyledButton>
        )}
      </CopyButton>
      <StateBadge look={lookOf(HOST_LOOK, row.state)} />
    </Group>
  );
}

function Details({ row, asked }: { readonly row: HostUpgrade; readonly asked: ReactNode }) {
  const host = useQuery(hostQuery(row.host));
  const facts = pairedFacts(row.facts);
  return (
    <Stack gap="xl">
      {row.reason !== "" && (
        <div className={classes.reason} data-tone={lookOf(HOST_LOOK, row.state).tone}>
          {eachReason(row.reason).map((reason) => (
            <div key={reason}>{reason}</div>
          ))}
        </div>
      )}
      {(row.state === "Quarantined" || row.state === "Pending" || host.data?.writtenOff !== undefined) && (
        <HostOperations host={row.host} quarantined={row.state === "Quarantined"} writtenOff={host.data?.writtenOff} />
      )}
      {asked}
      <Section title="Its way">
        <StepList row={row} />
        <dl className={classes.times}>
          <dt>Began</dt>
          <dd>{row.startedAt === undefined ? "not yet" : <Moment at={row.startedAt} />}</dd>
          <dt>Ended</dt>
          <dd>{row.endedAt === undefined ? "not yet" : <Moment at={row.endedAt} />}</dd>
          {row.startedAt !== undefined && (
            <>
              <dt>{row.endedAt === undefined ? "So far" : "Took"}</dt>
              <dd className="dd-numbers">
                <Elapsed from={row.startedAt} to={row.endedAt} />
              </dd>
            </>
          )}
          {row.grant !== undefined && (
            <>
              <dt>Grant</dt>
              <dd className="dd-mono">{row.grant}</dd>
            </>
          )}
        </dl>
      </Section>
      {facts.length > 0 && (
        <Section title="Facts">
          <Table className={classes.facts} verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th>Before</Table.Th>
                <Table.Th>After</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {facts.map((fact) => (
                <Table.Tr key={fact.name} data-changed={fact.changed || undefined}>
                  <Table.Th scope="row">{fact.name}</Table.Th>
                  {fact.value === undefined ? (
                    <>
                      <Table.Td>{fact.before ?? "–"}</Table.Td>
                      <Table.Td>{fact.after ?? "–"}</Table.Td>
                    </>
                  ) : (
                    <Table.Td colSpan={2}>{fact.value}</Table.Td>
                  )}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Section>
      )}
      <Section title="What runs on it">
        {host.data ? (
          <Instances host={host.data} />
        ) : host.isError ? (
          <ProblemAlert error={host.error} retry={() => void host.refetch()} />
        ) : (
          <Skeleton height={80} />
        )}
      </Section>
      <Section title="Events">
        <EventList rollout={row.rollout} host={row.host} />
      </Section>
    </Stack>
  );
}

function Instances({ host }: { readonly host: Host }) {
  const present = host.instances.filter((instance) => instance.vanishedAt === undefined);
  return (
    <Stack gap="xs">
      {present.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing.
        </Text>
      )}
      {present.map((instance) => (
        <div key={instance.id} className={classes.instance}>
          <span className={classes.health} data-tone={instance.health === "Healthy" ? "good" : "bad"}>
            {instance.health}
          </span>
          <Text size="sm" fw={550}>
            {instance.application}
          </Text>
          <Text size="xs" c="dimmed">
            zone {instance.zone}
            {instance.detail !== "" && ` · ${instance.detail}`}
          </Text>
        </div>
      ))}
      <Text size="xs" c="dimmed">
        {host.address} · scheduler {host.scheduler}
        {host.release !== undefined && ` · release ${host.release}`}
        {host.lock && ` · ${lockWords(host.lock)}`}
      </Text>
    </Stack>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h5" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  );
}
