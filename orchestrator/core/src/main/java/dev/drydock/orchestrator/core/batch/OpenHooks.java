package dev.drydock.orchestrator.core.batch;

import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.core.model.BatchJob;
import dev.drydock.orchestrator.core.model.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What hooks of a batch began and nobody took back. */
final class OpenHooks {
  private final SnapshotDraft snapshotDraft;

  OpenHooks(SnapshotDraft snapshotDraft) {
    this.snapshotDraft = snapshotDraft;
  }

  /** Whether the pre hook of a post hook was given to somebody. */
  boolean begun(BatchHook post) {
    return post.pre().filter(given()::contains).isPresent();
  }

  private Set<Integer> given() {
    return snapshotDraft.jobs().stream()
        .filter(job -> job.step() == Step.HOOK && job.given())
        .map(BatchJob::hook)
        .collect(Collectors.toSet());
  }

  /** What was begun about these hosts and not taken back, by host. */
  Map<String, List<String>> of(Collection<String> hosts) {
    Set<Integer> done =
        Stream.of(Step.HOOK, Step.UNHOOK)
            .flatMap(step -> snapshotDraft.lastOfHooks(step).values().stream())
            .filter(BatchJob::done)
            .map(BatchJob::hook)
            .collect(Collectors.toSet());
    Map<String, List<String>> open = new TreeMap<>();
    for (BatchHook post : snapshotDraft.hooks()) {
      if (begun(post) && !done.contains(post.number())) {
        post.hosts().stream()
            .filter(hosts::contains)
            .forEach(host -> open.computeIfAbsent(host, _ -> new ArrayList<>()).add(post.says()));
      }
    }
    return open;
  }

  /** Adds to the reasons of hosts what was begun there and not taken back. */
  void addTo(Map<String, String> reasons) {
    of(reasons.keySet())
        .forEach(
            (host, open) ->
                reasons.compute(host, (_, why) -> why + "; not done: " + String.join(", ", open)));
  }

  /** Which hooks about these hosts are not done on the way forward. */
  List<String> ahead(Collection<String> hosts) {
    Map<Integer, BatchJob> lasts = snapshotDraft.lastOfHooks(Step.HOOK);
    return snapshotDraft.hooks().stream()
        .filter(hook -> hook.hosts().stream().anyMatch(hosts::contains))
        .filter(hook -> !lasts.containsKey(hook.number()) || !lasts.get(hook.number()).done())
        .map(BatchHook::says)
        .toList();
  }
}
