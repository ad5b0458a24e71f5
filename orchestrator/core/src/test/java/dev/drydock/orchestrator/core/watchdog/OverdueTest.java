package dev.drydock.orchestrator.core.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.orchestrator.core.watchdog.ActivePhase.Cohort;
import dev.drydock.orchestrator.core.watchdog.ActivePhase.Work;
import dev.drydock.orchestrator.core.watchdog.Overdue.Cause;
import dev.drydock.orchestrator.core.watchdog.Overdue.Known;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When a phase is overdue, what it is measured by, and what it waits for. */
class OverdueTest {
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Known NOTHING = known(Optional.empty(), Map.of(), Set.of());
  private static final Optional<String> ROB = Optional.of("rob");

  private static Known known(
      Optional<Duration> policy, Map<Cohort, TypicalDuration> usual, Set<String> silent) {
    return new Known(policy, usual, silent, LEASE);
  }

  private static Known allowed(int minutes) {
    return known(Optional.of(Duration.ofMinutes(minutes)), Map.of(), Set.of());
  }

  private static Known usual(String application, int minutes) {
    return known(
        Optional.empty(),
        Map.of(
            new Cohort("small", "2", application, "Update"),
            new TypicalDuration(40, Duration.ofMinutes(minutes))),
        Set.of());
  }

  private static ActivePhase update(int minutes, Optional<String> consumer, int quietSeconds) {
    return phase(
        minutes,
        Optional.of(
            new Work(
                "g1.Update.h01.3",
                "host/x",
                true,
                consumer.isPresent() ? 1 : 0,
                consumer,
                Duration.ofSeconds(quietSeconds))));
  }

  private static ActivePhase phase(int minutes, Optional<Work> work) {
    return new ActivePhase(
        "g1",
        "r1",
        "h01",
        "Update",
        Instant.EPOCH,
        Duration.ofMinutes(minutes),
        Set.of("web", "ads"),
        "small",
        "2",
        work);
  }

  private static Optional<Cause> cause(ActivePhase phase, Known known) {
    return Overdue.judge(phase, known).map(Overdue::cause);
  }

  @Test
  void isMeasuredByWhatAPolicyAllows() {
    assertThat(cause(update(31, ROB, 3), allowed(30))).contains(Cause.WORKING);
    assertThat(cause(update(30, ROB, 3), allowed(30))).as("not past it").isEmpty();
    assertThat(cause(update(500, ROB, 3), NOTHING)).as("nobody knows what is long").isEmpty();
  }

  @Test
  void isMeasuredByTheSlowestOfWhatRunsThere() {
    assertThat(cause(update(25, ROB, 3), usual("web", 8))).contains(Cause.WORKING);
    assertThat(cause(update(24, ROB, 3), usual("web", 8))).isEmpty();
    Known both =
        known(
            Optional.empty(),
            Map.of(
                new Cohort("small", "2", "web", "Update"),
                new TypicalDuration(40, Duration.ofMinutes(8)),
                new Cohort("small", "2", "ads", "Update"),
                new TypicalDuration(40, Duration.ofMinutes(20))),
            Set.of());
    assertThat(cause(update(25, ROB, 3), both)).isEmpty();
    assertThat(cause(update(61, ROB, 3), both)).contains(Cause.WORKING);
    assertThat(cause(update(61, ROB, 3), usual("mail", 1))).as("does not run there").isEmpty();
  }

  @Test
  void saysWhoIsWaitedFor() {
    assertThat(cause(update(31, ROB, 16), allowed(30))).contains(Cause.SILENT);
    assertThat(cause(update(31, Optional.empty(), 0), allowed(30))).contains(Cause.UNCLAIMED);
  }

  @Test
  void aTopicWithoutAConsumerIsToldBeforeAnyTimeIsOver() {
    Known silent = known(Optional.of(Duration.ofHours(5)), Map.of(), Set.of("host/x"));
    assertThat(cause(update(3, Optional.empty(), 0), silent)).contains(Cause.UNCLAIMED);
    assertThat(cause(update(2, Optional.empty(), 0), silent)).as("it may be busy").isEmpty();
    assertThat(cause(update(3, Optional.empty(), 0), NOTHING)).as("it is busy").isEmpty();
    assertThat(cause(update(3, ROB, 3), silent)).as("somebody has it").isEmpty();
  }

  @Test
  void whatNobodyMayClaimYetWaitsForNoConsumer() {
    Work held = new Work("g1.Drain.h01.2", "host/x", false, 0, Optional.empty(), Duration.ZERO);
    Known silent = known(Optional.of(Duration.ofMinutes(1)), Map.of(), Set.of("host/x"));
    assertThat(cause(phase(600, Optional.of(held)), silent)).isEmpty();
  }

  @Test
  void aBatchThatNobodyLeadsOnIsTold() {
    assertThat(cause(phase(3, Optional.empty()), NOTHING)).contains(Cause.NOT_LED);
    assertThat(cause(phase(2, Optional.empty()), NOTHING)).isEmpty();
  }

  @Test
  void isToldInOneLine() {
    ActivePhase phase = update(41, ROB, 16);
    Overdue overdue = Overdue.judge(phase, usual("web", 8)).orElseThrow();
    assertThat(OverdueText.of(phase, overdue, new BudgetCost(Map.of("web", 12, "ads", 1))))
        .isEqualTo(
            "Update takes 41 min, 95 of 100 like it took no longer than 8 min (40 hosts of class"
                + " small to release 2); job g1.Update.h01.3 is claimed by rob, last heard of 16 s"
                + " ago; 13 other hosts wait for budget it holds: ads 1, web 12");
    ActivePhase unclaimed = update(150, Optional.empty(), 0);
    assertThat(
            OverdueText.of(
                unclaimed,
                Overdue.judge(unclaimed, allowed(30)).orElseThrow(),
                new BudgetCost(Map.of())))
        .isEqualTo(
            "Update takes 2 h 30 min, a policy allows 30 min; no consumer of host/x has claimed job"
                + " g1.Update.h01.3; no other host waits for its budget");
  }
}
