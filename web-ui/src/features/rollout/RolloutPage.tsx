import { Anchor, Breadcrumbs, Card, Group, Select, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconMapOff } from "@tabler/icons-react";
import { useCallback, useMemo, type ReactNode } from "react";
import { Problem } from "@/api/problem";
import { hostsOfRolloutQuery, hostUpgradesQuery, rolloutQuery } from "@/api/queries";
import type { HostUpgrade, HostUpgradeState, Rollout } from "@/api/types.gen";
import { useRefetchInterval } from "@/features/live";
import { countsOfHosts, countsOfRollout, done, total } from "@/shared/counts";
import { CountsBar } from "@/shared/CountsBar";
import { Empty, ProblemAlert } from "@/shared/Feedback";
import { lookOf, ROLLOUT_LOOK } from "@/shared/states";
import { StateBadge } from "@/shared/StateBadge";
import { Ago, Elapsed } from "@/shared/Times";
import { useTitle } from "@/shared/useTitle";
import { CountTiles } from "./CountTiles";
import { EventList } from "./EventList";
import { HostDrawer } from "./HostDrawer";
import { HostGrid } from "./HostGrid";
import { reasonGroups } from "./reasons";
import { Reasons } from "./Reasons";
import { RolloutControls } from "./RolloutControls";
import { applicationsOf, zones, zonesOfHosts } from "./zones";
import classes from "./RolloutPage.module.css";

export interface RolloutSearch {
  /** Whose details are open. */
  readonly host?: string;
  /** Only hosts of this state. */
  readonly state?: HostUpgradeState;
  /** Whose fault zones group the hosts. */
  readonly application?: string;
}

/** Events tell no new reason of a host that waits on: its row has to be read. */
const WAITING_MILLIS = 10_000;

/** One rollout as it is now; what is open and filtered is in the URL. */
export function RolloutPage(props: {
  readonly id: string;
  readonly search: RolloutSearch;
  readonly onSearch: (search: RolloutSearch) => void;
  /** What people are asked about a host. */
  readonly asked: (host: string) => ReactNode;
}) {
  const { id, search, onSearch } = props;
  useTitle(`Rollout ${id}`);
  const interval = useRefetchInterval();
  const rollout = useQuery({ ...rolloutQuery(id), refetchInterval: interval });
  const waits = (rollout.data?.pending ?? 0) > 0;
  const rows = useQuery({
    ...hostUpgradesQuery(id),
    refetchInterval: waits ? Math.min(interval, WAITING_MILLIS) : interval,
  });
  const open = useCallback(
    (host: string | undefined) => {
      onSearch(host === undefined ? without(search, "host") : { ...search, host });
    },
    [search, onSearch],
  );
  if (rollout.error instanceof Problem && rollout.error.status === 404) {
    return (
      <Card withBorder padding={0}>
        <Empty
          whole
          icon={IconMapOff}
          title={`There is no rollout ${id}`}
          text="The address is wrong, or its data are gone."
        >
          <Anchor component={Link} to="/rollouts">
            To the rollouts
          </Anchor>
        </Empty>
      </Card>
    );
  }
  if (!rollout.data) {
    return rollout.isError ? <ProblemAlert error={rollout.error} retry={() => void rollout.refetch()} /> : <Loading />;
  }
  const counts = rows.data ? countsOfHosts(rows.data) : countsOfRollout(rollout.data);
  return (
    <Stack gap="lg">
      <Header rollout={rollout.data} />
      <Card withBorder padding="lg">
        <Group justify="space-between" mb="sm">
          <Text fw={600} className="dd-numbers">
            {done(counts)} of {total(counts)} hosts done
          </Text>
          <Text c="dimmed" size="sm" className="dd-numbers">
            {total(counts) === 0 ? 0 : Math.floor((100 * done(counts)) / total(counts))} %
          </Text>
        </Group>
        <CountsBar counts={counts} large />
        <div className={classes.tiles}>
          <CountTiles
            counts={counts}
            chosen={search.state}
            onChoose={(state) => {
              onSearch(state === undefined ? without(search, "state") : { ...search, state });
            }}
          />
        </div>
      </Card>
      {rows.data && <Reasons groups={reasonGroups(rows.data)} onOpen={open} />}
      <div className={classes.columns}>
        <Hosts rows={rows.data} error={rows.error} search={search} onSearch={onSearch} onOpen={open} rollout={id} />
        <Card withBorder padding="lg" className={classes.events}>
          <Title order={2} size="h4" mb="sm">
            Events
          </Title>
          <EventList rollout={id} />
        </Card>
      </div>
      <HostDrawer
        row={rows.data?.find((row) => row.host === search.host)}
        asked={props.asked}
        onClose={() => {
          open(undefined);
        }}
      />
    </Stack>
  );
}

function Header({ rollout }: { readonly rollout: Rollout }) {
  return (
    <div>
      <Breadcrumbs mb="xs" component="nav" aria-label="Where you are">
        <Anchor component={Link} to="/rollouts" size="sm">
          Rollouts
        </Anchor>
        <Text size="sm" c="dimmed">
          {rollout.id}
        </Text>
      </Breadcrumbs>
      <Group gap="md">
        <Title order={1} className={classes.title}>
          Rollout {rollout.id} to release {rollout.release}
        </Title>
        <StateBadge look={lookOf(ROLLOUT_LOOK, rollout.state)} large />
        <RolloutControls rollout={rollout} />
      </Group>
      <Text c="dimmed" mt={6} component="div">
        {rollout.requester} (team {rollout.team}) submitted it <Ago at={rollout.createdAt} />;{" "}
        {rollout.state === "Scheduled" && rollout.startAt !== undefined ? (
          <>it begins {new Date(rollout.startAt).toLocaleString()}</>
        ) : (
          <>
            {rollout.endedAt === undefined ? "it has run for " : "it took "}
            <span className="dd-numbers">
              <Elapsed from={rollout.startAt ?? rollout.createdAt} to={rollout.endedAt} />
            </span>
          </>
        )}
        .{rollout.stateBy !== "" && ` ${rollout.state} by ${rollout.stateBy}${because(rollout)}.`}
        {rollout.origin !== undefined && ` ${rollout.origin.kind} of rollout ${rollout.origin.rollout}.`}
        {rollout.selector !== "" && ` Its hosts had the labels ${rollout.selector} when it was submitted.`}
        {rollout.changeTicket !== "" && ` Change ticket: ${rollout.changeTicket}.`}
        {rollout.priority !== "Normal" && ` Priority: ${rollout.priority}.`}
        {rollout.canaries.map((first) => ` Canaries of policy ${first.policy}: ${first.hosts.join(", ")}.`)}
      </Text>
      {rollout.reason !== "" && <blockquote className={classes.reason}>{rollout.reason}</blockquote>}
    </div>
  );
}

const because = (rollout: Rollout): string => (rollout.stateReason === "" ? "" : `: ${rollout.stateReason}`);

function Hosts(props: {
  readonly rollout: string;
  readonly rows: readonly HostUpgrade[] | undefined;
  readonly error: Error | null;
  readonly search: RolloutSearch;
  readonly onSearch: (search: RolloutSearch) => void;
  readonly onOpen: (host: string) => void;
}) {
  const { rows, search } = props;
  const names = useMemo(() => rows?.map((row) => row.host), [rows]);
  const hosts = useQuery(hostsOfRolloutQuery(props.rollout, names));
  const applications = useMemo(() => applicationsOf(hosts.data ?? []), [hosts.data]);
  const application = applications.find((known) => known === search.application) ?? applications[0];
  const zoneOf = useMemo(() => zonesOfHosts(hosts.data ?? [], application), [hosts.data, application]);
  const grouped = useMemo(() => zones(rows ?? [], zoneOf), [rows, zoneOf]);
  const { state } = search;
  const shown = useCallback((row: HostUpgrade) => state === undefined || row.state === state, [state]);
  return (
    <Card withBorder padding="lg">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Hosts by fault zone
        </Title>
        {application !== undefined && (
          <Select
            size="xs"
            w={170}
            aria-label="Zones as this application has them"
            leftSection={<Text size="xs">of</Text>}
            data={[...applications]}
            value={application}
            allowDeselect={false}
            onChange={(value) => {
              props.onSearch(value === null ? without(search, "application") : { ...search, application: value });
            }}
          />
        )}
      </Group>
      {rows === undefined ? (
        props.error ? (
          <ProblemAlert error={props.error} />
        ) : (
          <Skeleton height={200} aria-label="Loading hosts" />
        )
      ) : rows.some(shown) ? (
        <HostGrid zones={grouped} shown={shown} onOpen={props.onOpen} />
      ) : (
        <Text c="dimmed" py="xl" ta="center">
          No host is in this state now.
        </Text>
      )}
    </Card>
  );
}

function Loading() {
  return (
    <Stack gap="lg" aria-busy="true" aria-label="Loading the rollout">
      <Skeleton height={40} width="50%" />
      <Skeleton height={160} />
      <Skeleton height={300} />
    </Stack>
  );
}

function without(search: RolloutSearch, name: keyof RolloutSearch): RolloutSearch {
  return Object.fromEntries(Object.entries(search).filter(([key]) => key !== name));
}
