import { Alert, Anchor, Button, Card, Code, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { IconAlertCircle, IconKey, IconLogin2 } from "@tabler/icons-react";
import { useState, type SubmitEvent } from "react";
import { fetchPrincipal } from "@/api/resources";
import { Problem } from "@/api/problem";
import { Logo } from "@/shared/Logo";
import { useStore } from "@/shared/store";
import { session, signIn } from "./session";
import classes from "./SignInPage.module.css";

/** Shown in place of every page until the server knows the token. */
export function SignInPage() {
  const [token, setToken] = useState("");
  const { ended } = useStore(session);
  const attempt = useMutation({
    mutationFn: async (given: string) => {
      await fetchPrincipal(given);
      return given;
    },
    onSuccess: signIn,
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    attempt.mutate(token.trim());
  };
  return (
    <main className={classes.page}>
      <Card className={classes.card} withBorder radius="lg" padding="xl" shadow="md">
        <form onSubmit={submit} noValidate>
          <Stack gap="lg">
            <div>
              <Logo size={40} />
              <Title order={1} size="h2" mt="md">
                Sign in to Drydock
              </Title>
              <Text c="dimmed" size="sm" mt={4}>
                Bring every host to a new release while nobody notices.
              </Text>
            </div>
            {ended === "expired" && attempt.isIdle && (
              <Alert color="yellow" icon={<IconAlertCircle />} role="status">
                The server does not know your token any more. Sign in again; what you started goes on.
              </Alert>
            )}
            {attempt.isError && (
              <Alert color="red" icon={<IconAlertCircle />} role="alert" title={title(attempt.error)}>
                {attempt.error.message}
              </Alert>
            )}
            <PasswordInput
              label="Token"
              description="The one your administrator gave you. It stays in this tab only."
              placeholder="Paste your token"
              leftSection={<IconKey size={16} />}
              size="md"
              autoComplete="current-password"
              autoFocus
              required
              value={token}
              onChange={(event) => {
                setToken(event.currentTarget.value);
              }}
              error={attempt.isError && attempt.error instanceof Problem && attempt.error.status === 401}
            />
            <Button
              type="submit"
              size="md"
              fullWidth
              loading={attempt.isPending}
              disabled={token.trim() === ""}
              rightSection={<IconLogin2 size={18} />}
            >
              Sign in
            </Button>
            <Text size="xs" c="dimmed">
              On a machine with the embedded stack, <Code>make up</Code> says where its tokens are.{" "}
              <Anchor href="/healthz" size="xs" underline="always">
                Is the server alive?
              </Anchor>
            </Text>
          </Stack>
        </form>
      </Card>
    </main>
  );
}

function title(error: Error): string {
  if (error instanceof Problem && error.status === 401) {
    return "This token is not known";
  }
  return error instanceof Problem && error.isTemporary ? "The server does not answer" : "Signing in failed";
}
