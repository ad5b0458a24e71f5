package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GatheringTest {
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final Duration LATER = Duration.ofMinutes(2);

  private record Alarm(Runnable task, Duration time) {}

  private final List<List<String>> gone = new ArrayList<>();
  private final List<Alarm> alarms = new ArrayList<>();
  private final Gathering<String> gathering =
      new Gathering<>(gone::add, (time, task) -> alarms.add(new Alarm(task, time)));

  @Test
  void whoComesMeanwhileGoesAlongInOrder() {
    gathering.add("a", SOON);
    gathering.add("b", LATER);
    gathering.add("c", LATER);
    assertThat(gone).isEmpty();
    ring();

    assertThat(gone).containsExactly(List.of("a", "b", "c"));
    assertThat(alarms).extracting(Alarm::time).containsExactly(SOON);
  }

  @Test
  void nobodyWaitsForLongerThanItMay() {
    gathering.add("a", LATER);
    gathering.add("b", SOON);
    assertThat(alarms).extracting(Alarm::time).containsExactly(LATER, SOON);
    alarms.getLast().task().run();

    assertThat(gone).containsExactly(List.of("a", "b"));
  }

  @Test
  void anAlarmOfWhoIsGoneSendsNothing_andWhoComesThenHasItsOwn() {
    gathering.add("a", LATER);
    gathering.add("b", SOON);
    ring();
    assertThat(gone).containsExactly(List.of("a", "b"));
    gathering.add("c", LATER);
    assertThat(alarms).hasSize(3);
    alarms.getLast().task().run();

    assertThat(gone).containsExactly(List.of("a", "b"), List.of("c"));
  }

  @Test
  void whoComesAfterAnAlarmThatFailedHasItsOwn() {
    gathering.add("a", Duration.ZERO);
    gathering.add("b", LATER);
    assertThat(alarms).hasSize(2);
    alarms.getLast().task().run();

    assertThat(gone).containsExactly(List.of("a", "b"));
  }

  private void ring() {
    List.copyOf(alarms).forEach(alarm -> alarm.task().run());
  }
}
