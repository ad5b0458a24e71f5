import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { IconArrowBackUp } from "@tabler/icons-react";
import { useState } from "react";
import { hostQuery } from "@/api/queries";
import { returnHost } from "@/api/resources";
import { mayOperate, usePrincipal } from "@/features/session";
import { ReasonDialog } from "@/shared/ReasonDialog";

/** Brings a quarantined host back to service; for those who may. */
export function HostReturn({ host }: { readonly host: string }) {
  const client = useQueryClient();
  const may = mayOperate(usePrincipal());
  const [opened, setOpened] = useState(false);
  if (!may) {
    return null;
  }
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconArrowBackUp size={16} />}
        onClick={() => {
          setOpened(true);
        }}
      >
        Bring it back
      </Button>
      <ReasonDialog
        words={{
          title: `Bring ${host} back?`,
          text: "A rollout of this host alone reads it, judges its health, starts its applications and puts it into rotation. Nothing is updated. If it is still ill it is quarantined again.",
          placeholder: "The fan was replaced, INC-1234",
          button: "Bring it back",
          color: "sea",
        }}
        opened={opened}
        onClose={() => {
          setOpened(false);
        }}
        act={(reason) => returnHost(host, reason)}
        onSettled={() => client.invalidateQueries({ queryKey: hostQuery(host).queryKey })}
      />
    </>
  );
}
