import { Anchor, Card, Text, Title } from "@mantine/core";
import { useState } from "react";
import { HOST_LOOK, lookOf } from "@/shared/states";
import { StateBadge } from "@/shared/StateBadge";
import type { ReasonGroup } from "./reasons";
import classes from "./Reasons.module.css";

const GROUPS_SHOWN = 4;
const HOSTS_SHOWN = 12;

/** Why hosts wait or failed, alike ones together. */
export function Reasons(props: { readonly groups: readonly ReasonGroup[]; readonly onOpen: (host: string) => void }) {
  const [all, setAll] = useState(false);
  if (props.groups.length === 0) {
    return null;
  }
  const shown = all ? props.groups : props.groups.slice(0, GROUPS_SHOWN);
  return (
    <Card withBorder padding="lg">
      <Title order={2} size="h4" mb="sm">
        Why
      </Title>
      <ul className={classes.list}>
        {shown.map((group) => (
          <li key={`${group.state} ${group.reason}`} className={classes.group}>
            <StateBadge look={lookOf(HOST_LOOK, group.state)} />
            <div>
              <Text size="sm">{group.reason}</Text>
              <Text size="xs" c="dimmed" component="div" className={classes.hosts}>
                {group.hosts.slice(0, HOSTS_SHOWN).map((host) => (
                  <Anchor
                    key={host}
                    component="button"
                    size="xs"
                    underline="always"
                    onClick={() => {
                      props.onOpen(host);
                    }}
                  >
                    {host}
                  </Anchor>
                ))}
                {group.hosts.length > HOSTS_SHOWN && <span>and {group.hosts.length - HOSTS_SHOWN} more</span>}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      {props.groups.length > GROUPS_SHOWN && (
        <Anchor
          component="button"
          size="sm"
          mt="sm"
          onClick={() => {
            setAll(!all);
          }}
        >
          {all ? "Show fewer" : `Show all ${String(props.groups.length)} reasons`}
        </Anchor>
      )}
    </Card>
  );
}
