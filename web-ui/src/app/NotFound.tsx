import { Button, Card } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconMapOff } from "@tabler/icons-react";
import { Empty } from "@/shared/Feedback";
import { useTitle } from "@/shared/useTitle";

export function NotFound() {
  useTitle("Not found");
  return (
    <Card withBorder padding={0}>
      <Empty
        whole
        icon={IconMapOff}
        title="There is no such page"
        text="The address is wrong, or what it led to is gone."
      >
        <Button component={Link} to="/rollouts" variant="default">
          To the rollouts
        </Button>
      </Empty>
    </Card>
  );
}
