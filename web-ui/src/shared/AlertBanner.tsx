import { Container } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./AlertBanner.module.css";

/** A line across every page, for what stops the whole fleet. */
export function AlertBanner(props: {
  readonly icon: ReactNode;
  readonly action?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={classes.banner} role="alert">
      <Container size="xl" className={classes.inside}>
        <span className={classes.icon} aria-hidden="true">
          {props.icon}
        </span>
        <span className={classes.words}>{props.children}</span>
        {Boolean(props.action) && <span className={classes.action}>{props.action}</span>}
      </Container>
    </div>
  );
}
