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
  private final IsolatedInstallation isolatedInstallation = new IsolatedInstallation(false);

  @AfterEach
  void close() {
    isolatedInstallation.close();
  }

  @Test
  void thoseOfAnAbortedRolloutLeaveTheQueueAndThoseOfAPausedOneStay() {
    isolatedInstallation.start();
    for (String host : List.of("a1", "a2")) {
      isolatedInstallation.fleet().host(host);
      isolatedInstallation.queue("t-" + host, host);
      isolatedInstallation.until(
          host + " is taken", () -> isolatedInstallation.locks().lockOn(host).isPresent());
    }
    String aborted = rollout("a1");
    String paused = rollout("a2");
    isolatedInstallation.until("both have a place", () -> waiting().size() == 2);
    isolatedInstallation.client().pauseRollout(paused, "later");
    isolatedInstallation.client().abortRollout(aborted, "wrong release");
    assertThat(isolatedInstallation.ended(aborted).getState()).isEqualTo(RolloutState.Aborted);
    isolatedInstallation.until("its place is gone", () -> !waiting().contains(aborted + ".a1"));
    assertThat(waiting()).as("the control").containsExactly(paused + ".a2");

    isolatedInstallation.client().resumeRollout(paused, "now");
    isolatedInstallation.locks().desk().leave("t-a2", "kernel-team", "done");
    isolatedInstallation.until(
        "the paused one is served",
        () -> isolatedInstallation.host(paused, "a2").getState() != HostUpgradeState.Pending);
  }

  private String rollout(String host) {
    return isolatedInstallation
        .client()
        .startRollout(
            new RolloutRequest().setRelease("2").setHosts(new StringArray(List.of(host))));
  }

  private List<String> waiting() {
    return isolatedInstallation.locks().holds().table().tickets().stream().map(Ticket::id).toList();
  }
}
