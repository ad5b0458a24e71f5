import { Alert, Button, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconAlertCircle, IconRefresh, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Problem } from "@/api/problem";

/** Why something is not on the screen, and the way to try again. */
export function ProblemAlert({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const temporary = error instanceof Problem && error.isTemporary;
  return (
    <Alert
      color="red"
      icon={<IconAlertCircle />}
      role="alert"
      title={temporary ? "The server does not answer" : "This cannot be shown"}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{error.message}</Text>
        {retry && (
          <Button size="xs" variant="default" leftSection={<IconRefresh size={14} />} onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

/** What a page, or a part of one, says when there is nothing to show. */
export function Empty(props: {
  readonly icon: Icon;
  readonly title: string;
  readonly text: string;
  /** It is all there is on the page. */
  readonly whole?: boolean;
  readonly children?: ReactNode;
}) {
  return (
    <Stack align="center" gap="sm" py={64} px="md">
      <ThemeIcon variant="light" size={64} radius="xl" aria-hidden="true">
        <props.icon size={32} stroke={1.5} />
      </ThemeIcon>
      <Title order={props.whole ? 1 : 2} size="h3" ta="center">
        {props.title}
      </Title>
      <Text c="dimmed" ta="center" maw={440}>
        {props.text}
      </Text>
      {props.children}
    </Stack>
  );
}
