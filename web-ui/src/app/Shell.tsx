import {
  ActionIcon,
  Avatar,
  Button,
  Container,
  Group,
  Menu,
  Text,
  Tooltip,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { IconCloudOff, IconLogout, IconMoon, IconRefresh, IconSun } from "@tabler/icons-react";
import { BrakeBanner, FreezeButton } from "@/features/brake";
import { DecisionCount } from "@/features/decisions";
import { LiveBadge } from "@/features/live";
import { RecoveryBanner } from "@/features/recovery";
import { reachable, signOut, usePrincipal } from "@/features/session";
import { Logo } from "@/shared/Logo";
import { useStore } from "@/shared/store";
import classes from "./Shell.module.css";

/** What is around every page: name, live badge, brake, theme, who is signed in, and whether the server is there. */
export function Shell() {
  return (
    <>
      <a href="#content" className="dd-skip-link">
        Skip to content
      </a>
      <header className={classes.header}>
        <Container size="xl" className={classes.inside}>
          <Link to="/rollouts" className={classes.home}>
            <Logo />
            <span className={classes.name}>Drydock</span>
          </Link>
          <nav aria-label="Main" className={classes.nav}>
            <Link to="/rollouts" className={classes.link} activeOptions={{ includeSearch: false }}>
              Rollouts
            </Link>
            <Link to="/decisions" className={classes.link}>
              Needs you <DecisionCount />
            </Link>
          </nav>
          <Group gap="xs" ml="auto" wrap="nowrap">
            <LiveBadge />
            <FreezeButton />
            <ThemeButton />
            <Who />
          </Group>
        </Container>
        <AwayBanner />
        <RecoveryBanner />
        <BrakeBanner />
      </header>
      <Container component="main" size="xl" id="content" tabIndex={-1} className={classes.main}>
        <Outlet />
      </Container>
    </>
  );
}

function ThemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const system = window.matchMedia("(prefers-color-scheme: dark)").matches;
  const dark = colorScheme === "dark" || (colorScheme === "auto" && system);
  const label = dark ? "Use the light theme" : "Use the dark theme";
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={label}
        onClick={() => {
          setColorScheme(dark ? "light" : "dark");
        }}
      >
        {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

function Who() {
  const principal = usePrincipal();
  const name = principal?.name ?? "…";
  return (
    <Menu position="bottom-end" width={220} withArrow>
      <Menu.Target>
        <Button variant="subtle" color="gray" px={6}>
          <Avatar size={28} radius="xl" color="sea" variant="filled" aria-hidden="true">
            {name.slice(0, 2).toUpperCase()}
          </Avatar>
          <span className={classes.who}>{name}</span>
          <VisuallyHidden>, account menu</VisuallyHidden>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.card}>
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            Team {principal?.team ?? "…"} · {principal?.role ?? "…"}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => {
            signOut();
          }}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function AwayBanner() {
  const answers = useStore(reachable);
  const client = useQueryClient();
  if (answers) {
    return null;
  }
  return (
    <div className={classes.away} role="alert">
      <Container size="xl" className={classes.inside}>
        <IconCloudOff size={18} aria-hidden="true" />
        <span>The server does not answer. Rollouts go on without this page; it is tried again by itself.</span>
        <Button
          size="compact-sm"
          variant="default"
          ml="auto"
          leftSection={<IconRefresh size={14} />}
          onClick={() => void client.refetchQueries({ type: "active" })}
        >
          Try now
        </Button>
      </Container>
    </div>
  );
}
