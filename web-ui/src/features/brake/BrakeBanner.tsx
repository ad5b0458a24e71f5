import { Button, Container } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconSnowflake } from "@tabler/icons-react";
import { useState } from "react";
import { freezeQuery } from "@/api/queries";
import { useRefetchInterval } from "@/features/live";
import { mayOperate, usePrincipal } from "@/features/session";
import { Ago } from "@/shared/Times";
import { BrakeDialog } from "./BrakeDialog";
import classes from "./BrakeBanner.module.css";

/** On every page while nobody is granted a host: who froze the fleet, since when and why. */
export function BrakeBanner() {
  const refetchInterval = useRefetchInterval();
  const { data } = useQuery({ ...freezeQuery, refetchInterval });
  const may = mayOperate(usePrincipal());
  const [asked, setAsked] = useState(false);
  const frozen = data?.frozen === true;
  return (
    <>
      {frozen && (
        <div className={classes.banner} role="alert">
          <Container size="xl" className={classes.inside}>
            <IconSnowflake size={18} className={classes.icon} aria-hidden="true" />
            <span className={classes.words}>
              <b>The fleet is frozen: no host is granted to anybody.</b> By {data.by ?? "somebody"}
              {data.since !== undefined && (
                <>
                  {" "}
                  <Ago at={data.since} />
                </>
              )}
              {data.reason !== undefined && <>: {data.reason}</>}
            </span>
            {may && (
              <Button
                size="compact-sm"
                variant="default"
                className={classes.action}
                onClick={() => {
                  setAsked(true);
                }}
              >
                Unfreeze…
              </Button>
            )}
          </Container>
        </div>
      )}
      <BrakeDialog
        action="unfreeze"
        opened={asked && frozen}
        onClose={() => {
          setAsked(false);
        }}
      />
    </>
  );
}
