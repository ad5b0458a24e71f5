import { useQueryClient } from "@tanstack/react-query";
import { freezeQuery } from "@/api/queries";
import { ReasonDialog } from "@/shared/ReasonDialog";

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

/** Pulls the brake, or lifts it. */
export function BrakeDialog(props: {
  readonly action: keyof typeof WORDS;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly act: (reason: string) => Promise<void>;
}) {
  const client = useQueryClient();
  return (
    <ReasonDialog
      words={WORDS[props.action]}
      opened={props.opened}
      onClose={props.onClose}
      act={props.act}
      onSettled={() => client.invalidateQueries({ queryKey: freezeQuery.queryKey })}
    />
  );
}
