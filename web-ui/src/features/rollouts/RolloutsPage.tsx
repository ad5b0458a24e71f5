import { Button, Card, Group, SegmentedControl, Skeleton, Stack, TextInput, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconFilterOff, IconPlus, IconSearch, IconShip } from "@tabler/icons-react";
import { rolloutsQuery } from "@/api/queries";
import { useRefetchInterval } from "@/features/live";
import { mayOperate, usePrincipal } from "@/features/session";
import { Empty, ProblemAlert } from "@/shared/Feedback";
import { useTitle } from "@/shared/useTitle";
import { FILTER_WORDS, FILTERS, listed, matches, type Filter } from "./model";
import { RolloutRow } from "./RolloutRow";
import classes from "./RolloutsPage.module.css";

export interface RolloutsSearch {
  readonly filter?: Filter;
  readonly text?: string;
}

/** All rollouts, newest first; what is filtered is in the URL. */
export function RolloutsPage(props: {
  readonly search: RolloutsSearch;
  readonly onSearch: (search: RolloutsSearch) => void;
}) {
  useTitle("Rollouts");
  const { filter = "all", text = "" } = props.search;
  const query = useInfiniteQuery({ ...rolloutsQuery, refetchInterval: useRefetchInterval() });
  const rollouts = query.data?.pages.flat();
  const shown = rollouts && listed(rollouts, filter, text);
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <Title order={1}>Rollouts</Title>
        <StartButton />
      </Group>
      {query.isError && !rollouts && <ProblemAlert error={query.error} retry={() => void query.refetch()} />}
      {rollouts?.length === 0 ? (
        <Card withBorder padding={0}>
          <Empty
            icon={IconShip}
            title="No rollout yet"
            text="A rollout brings the hosts you name to a release, as many at a time as the teams' policies allow."
          >
            <StartButton />
          </Empty>
        </Card>
      ) : (
        !(query.isError && !rollouts) && (
          <>
            <Group gap="md">
              <SegmentedControl
                aria-label="Which rollouts"
                value={filter}
                onChange={(value) => {
                  props.onSearch({ ...props.search, filter: value });
                }}
                data={FILTERS.map((value) => ({
                  value,
                  label: rollouts
                    ? `${FILTER_WORDS[value]} ${String(rollouts.filter((one) => matches(one, value)).length)}`
                    : FILTER_WORDS[value],
                }))}
              />
              <TextInput
                className={classes.search}
                leftSection={<IconSearch size={16} />}
                placeholder="Release, reason, person, team"
                aria-label="Search"
                type="search"
                value={text}
                onChange={(event) => {
                  props.onSearch({ ...props.search, text: event.currentTarget.value });
                }}
              />
            </Group>
            <Card withBorder padding={0}>
              {shown === undefined ? (
                <Loading />
              ) : shown.length === 0 ? (
                <Empty
                  icon={IconFilterOff}
                  title="Nothing matches"
                  text="No rollout is of this kind and has these words."
                >
                  <Button
                    variant="default"
                    onClick={() => {
                      props.onSearch({});
                    }}
                  >
                    Show all
                  </Button>
                </Empty>
              ) : (
                <ul className={classes.list} aria-label="Rollouts">
                  {shown.map((rollout) => (
                    <RolloutRow key={rollout.id} rollout={rollout} />
                  ))}
                </ul>
              )}
            </Card>
            {query.hasNextPage && (
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
                style={{ alignSelf: "center" }}
              >
                Show older
              </Button>
            )}
          </>
        )
      )}
    </Stack>
  );
}

function StartButton() {
  const allowed = mayOperate(usePrincipal());
  return allowed ? (
    <Button component={Link} to="/rollouts/new" leftSection={<IconPlus size={18} />}>
      Start a rollout
    </Button>
  ) : null;
}

function Loading() {
  return (
    <Stack gap="md" p="lg" aria-busy="true" aria-label="Loading rollouts">
      {[1, 2, 3, 4].map((line) => (
        <Skeleton key={line} height={44} />
      ))}
    </Stack>
  );
}
