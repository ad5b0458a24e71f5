package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.data.template.StringArray;
import dev.drydock.api.HostUpgradeState;
import dev.drydock.api.RolloutRequest;
import dev.drydock.api.RolloutState;
import dev.drydock.lock.core.Ticket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of the places of rollouts in etcd's queue while somebody else has their hosts. */
@Tag("stack")
@Timeout(300)
class AbortedPlacesTest {
  private final Island island = new Island(false);

  @AfterEach
  void close() {
    island.close();
  }

  @Test
  void thoseOfAnAbortedRolloutLeaveTheQueueAndThoseOfAPausedOneStay() {
    island.start();
    for (String host : List.of("a1", "a2")) {
      island.fleet().host(host);
      island.queue("t-" + host, host);
      island.until(host + " is taken", () -> island.locks().lockOn(host).isPresent());
    }
    String aborted = rollout("a1");
    String paused = rollout("a2");
    island.until("both have a place", () -> waiting().size() == 2);
    island.client().pauseRollout(paused, "later");
    island.client().abortRollout(aborted, "wrong release");
    assertThat(island.ended(aborted).getState()).isEqualTo(RolloutState.Aborted);
    island.until("its place is gone", () -> !waiting().contains(aborted + ".a1"));
    assertThat(waiting()).as("the control").containsExactly(paused + ".a2");

    island.client().resumeRollout(paused, "now");
    island.locks().desk().leave("t-a2", "kernel-team", "done");
    island.until(
        "the paused one is served",
        () -> island.host(paused, "a2").getState() != HostUpgradeState.Pending);
  }

  private String rollout(String host) {
    return island
        .client()
        .startRollout(
            new RolloutRequest().setRelease("2").setHosts(new StringArray(List.of(host))));
  }

  private List<String> waiting() {
    return island.locks().holds().table().tickets().stream().map(Ticket::id).toList();
  }
}
