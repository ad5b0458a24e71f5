package dev.drydock.orchestrator.core.batch;

import dev.drydock.impact.core.OnHostFailure;
import dev.drydock.orchestrator.core.batch.PhaseProgress.Status;
import dev.drydock.orchestrator.core.model.Decision;
import dev.drydock.orchestrator.core.model.Decision.Answer;
import dev.drydock.orchestrator.core.model.Decision.BlockedBatch;
import dev.drydock.orchestrator.core.model.Decision.Kind;
import dev.drydock.orchestrator.core.model.Decision.Option;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What becomes of a batch when hosts of it fail. Policies say it, as they did when the batch began:
 *
 * <ol>
 *   <li>GoOn: the hosts are kept aside if any other host is left; otherwise as Abort.
 *   <li>Abort: all go back while there is a way back; after that as GoOn.
 *   <li>Ask: people are asked, and the batch waits for them. So it does for a failed post hook,
 *       unless policies say GoOn.
 * </ol>
 */
final class HostFailures {
  private final SnapshotDraft snapshotDraft;

  HostFailures(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
  }

  /**
   * What ended badly.
   *
   * @param step what hosts were at, as people read it
   * @param reasons why, by host
   */
  record Cause(String step, List<String> jobs, Map<String, String> reasons) {
    Cause {
      jobs = List.copyOf(jobs);
      reasons = Map.copyOf(reasons);
    }
  }

  /** What to do about the hosts that failed. */
  sealed interface Way {

    /** Nobody said yet; people are asked. */
    record Asked(String question) implements Way {}

    /** Try what failed once more. */
    record Retry() implements Way {}

    /** Keep them aside. */
    record KeepAside() implements Way {}

    /** All go back. */
    record GoBack(PhaseProgress progress) implements Way {}
  }

  /** Hosts of the batch that are to be kept aside, each with the reason. */
  Map<String, String> aside() {
    Map<String, String> aside = new TreeMap<>();
    for (Decision failure : snapshotDraft.decisions(Kind.BLOCKED_BATCH)) {
      failure
          .answer()
          .filter(how -> how.option() == Option.GO_ON)
          .ifPresent(
              how ->
                  failure
                      .reasons()
                      .forEach((host, why) -> aside.putIfAbsent(host, why + "; " + how.says())));
    }
    aside.keySet().retainAll(snapshotDraft.active());
    return aside;
  }

  /** These hosts without those that are kept aside. */
  List<String> without(Collection<String> hosts) {
    Set<String> aside = aside().keySet();
    return hosts.stream().filter(host -> !aside.contains(host)).toList();
  }

  /** The jobs that any failure is about, decided or not. */
  Set<String> jobs() {
    return snapshotDraft.decisions(Kind.BLOCKED_BATCH).stream()
        .flatMap(failure -> failure.jobs().stream())
        .collect(Collectors.toSet());
  }

  /**
   * Of a step on the way forward.
   *
   * @param others whether any host of the batch did not fail
   * @param wayBack whether all can still go back
   */
  Way of(Cause cause, boolean others, boolean wayBack) {
    return switch (snapshotDraft.grant().onHostFailure()) {
      case ASK -> decided(cause, Optional.empty());
      case ABORT -> wayBack ? back(cause) : decided(cause, Optional.of(Option.GO_ON));
      case GO_ON -> others || !wayBack ? decided(cause, Optional.of(Option.GO_ON)) : back(cause);
    };
  }

  /** Of a post hook: it is never skipped in silence. */
  Way ofPostHook(Cause cause) {
    return decided(
        cause,
        snapshotDraft.grant().onHostFailure() == OnHostFailure.GO_ON
            ? Optional.of(Option.GO_ON)
            : Optional.empty());
  }

  private static Way back(Cause cause) {
    return new Way.GoBack(new PhaseProgress(Status.FAILED, says(cause.reasons())));
  }

  private Way decided(Cause cause, Optional<Option> policy) {
    Decision failure = failure(cause, policy);
    if (failure.open()) {
      return new Way.Asked(failure.id(snapshotDraft.grant().id()));
    }
    Answer how = failure.answer().orElseThrow();
    return switch (how.option()) {
      case RETRY -> new Way.Retry();
      case GO_ON -> new Way.KeepAside();
      case ABORT ->
          new Way.GoBack(new PhaseProgress(Status.FAILED, failure.says() + "; " + how.says()));
      case WAIT, REQUEUE, FORCE, QUARANTINE, REVERT, APPROVE, REFUSE ->
          throw new IllegalStateException(
              failure.id(snapshotDraft.grant().id()) + " was answered " + how);
    };
  }

  /**
   * The failure of these jobs: the known one, or a new one. Hosts may have left it since. A hook
   * that failed may be about hosts that come to it later: what was decided is not about those.
   */
  private Decision failure(Cause cause, Optional<Option> policy) {
    return snapshotDraft.decisions(Kind.BLOCKED_BATCH).stream()
        .filter(known -> Set.copyOf(known.jobs()).containsAll(cause.jobs()))
        .filter(known -> known.reasons().keySet().containsAll(cause.reasons().keySet()))
        .findFirst()
        .orElseGet(() -> write(cause, policy));
  }

  private Decision write(Cause cause, Optional<Option> policy) {
    DecisionBook book = new DecisionBook(snapshotDraft);
    DecisionBook.About about =
        new DecisionBook.About(
            new BlockedBatch(snapshotDraft.grant().turnedBack().isPresent()),
            cause.step(),
            cause.jobs(),
            cause.reasons(),
            says(cause.reasons()));
    return policy
        .map(option -> book.decided(about, option))
        .orElseGet(() -> book.ask(about, Optional.empty()));
  }

  /** Why these hosts failed, in one sentence. */
  private static String says(Map<String, String> reasons) {
    int more = reasons.size() - 1;
    return new TreeMap<>(reasons).firstEntry().getValue()
        + switch (more) {
          case 0 -> "";
          case 1 -> "; and 1 other host";
          default -> "; and %d other hosts".formatted(more);
        };
  }
}
