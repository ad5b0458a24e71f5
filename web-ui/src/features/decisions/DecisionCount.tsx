import { Badge, VisuallyHidden } from "@mantine/core";
import { useDecisions } from "./useDecisions";

/** How many decisions wait, in the navigation; nothing while none does. */
export function DecisionCount() {
  const { data } = useDecisions();
  const count = data?.length ?? 0;
  return count === 0 ? null : (
    <Badge size="sm" color="red.9" variant="filled" circle={count < 10}>
      {count}
      <VisuallyHidden> open</VisuallyHidden>
    </Badge>
  );
}
