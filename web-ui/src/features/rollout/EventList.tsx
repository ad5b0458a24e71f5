import { Anchor, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, useState } from "react";
import type { EventScope, FeedEvent } from "@/api/events";
import { eventsQuery } from "@/api/queries";
import { ProblemAlert } from "@/shared/Feedback";
import { Ago } from "@/shared/Times";
import { eventWords } from "./eventWords";
import classes from "./EventList.module.css";

const SHOWN_FIRST = 12;
const SHOWN_MORE = 50;

/** What happened, newest first: the milestones of a rollout, or everything about one of its hosts. */
export function EventList(scope: EventScope) {
  const query = useQuery(eventsQuery(scope));
  const [shown, setShown] = useState(SHOWN_FIRST);
  if (query.isPending) {
    return <Skeleton height={120} />;
  }
  if (!query.data) {
    return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  }
  const newest = query.data.slice(-shown).reverse();
  if (newest.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing yet.
      </Text>
    );
  }
  return (
    <>
      <ol className={classes.list} reversed>
        {newest.map((event) => (
          <Line key={event.cursor} event={event} />
        ))}
      </ol>
      {query.data.length > shown && (
        <Anchor
          component="button"
          size="sm"
          mt="sm"
          onClick={() => {
            setShown(shown + SHOWN_MORE);
          }}
        >
          Show older
        </Anchor>
      )}
    </>
  );
}

const Line = memo(function Line({ event }: { readonly event: FeedEvent }) {
  const words = eventWords(event);
  return (
    <li className={classes.event} data-tone={words.tone}>
      <span className={classes.icon} aria-hidden="true">
        <words.icon size={14} />
      </span>
      <div className={classes.words}>
        <Text size="sm">{words.text}</Text>
        {words.reason !== "" && (
          <Text size="xs" c="dimmed">
            {words.reason}
          </Text>
        )}
      </div>
      <Text size="xs" c="dimmed" component="div" className="dd-numbers">
        <Ago at={event.at} />
      </Text>
    </li>
  );
});
