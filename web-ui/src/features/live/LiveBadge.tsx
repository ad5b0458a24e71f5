import { Tooltip } from "@mantine/core";
import { useStore } from "@/shared/store";
import { liveState, type LiveState } from "./LiveProvider";
import classes from "./LiveBadge.module.css";

const SAID: Readonly<Record<LiveState, { readonly word: string; readonly tone: string; readonly text: string }>> = {
  connecting: { word: "Connecting", tone: "pending", text: "Waiting for the stream of events to begin." },
  live: { word: "Live", tone: "good", text: "What you see is so now: the server tells every change as it happens." },
  lost: {
    word: "Reconnecting",
    tone: "warn",
    text: "The stream of events broke off. What you see is read every few seconds until it goes on where it was.",
  },
};

export function LiveBadge() {
  const state = useStore(liveState);
  const { word, tone, text } = SAID[state];
  return (
    <Tooltip label={text} multiline w={260} withArrow events={{ hover: true, focus: true, touch: true }}>
      <span className={classes.badge} data-tone={tone} data-live={state} role="status" tabIndex={0}>
        <span className={classes.dot} aria-hidden="true" />
        {word}
      </span>
    </Tooltip>
  );
}
