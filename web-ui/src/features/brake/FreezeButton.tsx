import { ActionIcon, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconSnowflake } from "@tabler/icons-react";
import { useState } from "react";
import { freezeQuery } from "@/api/queries";
import { freeze } from "@/api/resources";
import { mayOperate, usePrincipal } from "@/features/session";
import { BrakeDialog } from "./BrakeDialog";

const LABEL = "Freeze the fleet";

/** The way to the brake for those who may pull it; gone while it is pulled. */
export function FreezeButton() {
  const { data } = useQuery(freezeQuery);
  const may = mayOperate(usePrincipal());
  const [asked, setAsked] = useState(false);
  if (!may || data?.frozen !== false) {
    return null;
  }
  return (
    <>
      <Tooltip label={LABEL}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={LABEL}
          onClick={() => {
            setAsked(true);
          }}
        >
          <IconSnowflake size={18} />
        </ActionIcon>
      </Tooltip>
      <BrakeDialog
        action="freeze"
        act={freeze}
        opened={asked}
        onClose={() => {
          setAsked(false);
        }}
      />
    </>
  );
}
