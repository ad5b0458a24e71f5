import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconSnowflake } from "@tabler/icons-react";
import { useState } from "react";
import { freezeQuery } from "@/api/queries";
import { unfreeze } from "@/api/resources";
import { useRefetchInterval } from "@/features/live";
import { mayOperate, usePrincipal } from "@/features/session";
import { AlertBanner } from "@/shared/AlertBanner";
import { Ago } from "@/shared/Times";
import { BrakeDialog } from "./BrakeDialog";

/** On every page while nobody is granted a host: who froze the fleet, since when and why. */
export function BrakeBanner() {
  const refetchInterval = useRefetchInterval();
  const { data } = useQuery({ ...freezeQuery, refetchInterval });
  const may = mayOperate(usePrincipal());
  /** The freeze that was shown when somebody wanted to lift it. */
  const [lifted, setLifted] = useState<number>();
  const frozen = data?.frozen === true;
  return (
    <>
      {frozen && (
        <AlertBanner
          icon={<IconSnowflake size={18} />}
          action={
            may && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => {
                  setLifted(data.since);
                }}
              >
                Unfreeze…
              </Button>
            )
          }
        >
          <b>The fleet is frozen: no host is granted to anybody.</b> By {data.by ?? "somebody"}
          {data.since !== undefined && (
            <>
              {" "}
              <Ago at={data.since} />
            </>
          )}
          {data.reason !== undefined && <>: {data.reason}</>}
        </AlertBanner>
      )}
      <BrakeDialog
        action="unfreeze"
        opened={lifted !== undefined && frozen}
        onClose={() => {
          setLifted(undefined);
        }}
        act={async (reason) => {
          if (lifted !== undefined) {
            await unfreeze(lifted, reason);
          }
        }}
      />
    </>
  );
}
