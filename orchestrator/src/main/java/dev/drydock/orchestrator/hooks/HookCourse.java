package dev.drydock.orchestrator.hooks;

import dev.drydock.api.JobState;
import dev.drydock.api.JobStep;
import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.jobs.HookPublication;
import dev.drydock.orchestrator.jobs.JobRow;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Leads a batch through the hooks of a stage, inside a transaction that holds the lock of its
 * grant:
 *
 * <ol>
 *   <li>Hooks of one order are on the board together, over all hosts; the next order comes when
 *       they are done. Pre hooks go from the lowest order to the highest, post hooks back.
 *   <li>One that asks to be asked again gets another round.
 *   <li>On the way back only those post hooks run whose pre hook was given to somebody: nothing
 *       else may have had an effect. What was published is what registers that, before it is done.
 * </ol>
 *
 * <p>Hosts that left the batch are left out; so are those the caller leaves out.
 */
public final class HookCourse {
  private final Handle handle;
  private final GrantRow grant;
  private final List<BatchHook> hooks;
  private int published;

  public HookCourse(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
    this.hooks = BatchHooks.of(handle, grant.id());
  }

  /** How a stage stands. */
  public sealed interface Standing {}

  /** Some hook has not ended. */
  public record Waiting() implements Standing {}

  /** All are done. */
  public record Done() implements Standing {}

  /** Some hook turned the batch back. */
  public record Vetoed(String reason) implements Standing {}

  /** Some hooks ended badly, and none runs any more. */
  public record Failed(List<FailedHook> hooks) implements Standing {
    public Failed {
      hooks = List.copyOf(hooks);
    }
  }

  /**
   * A hook that ended badly.
   *
   * @param hosts of the batch that it is about
   */
  public record FailedHook(JobRow job, List<String> hosts, String reason) {}

  /** How many jobs were new. */
  public int published() {
    return published;
  }

  /** Whether a hook that leads forward is with somebody. */
  public boolean runs() {
    return JobRow.lastOfHooks(handle, grant.id(), JobStep.Hook).values().stream()
        .anyMatch(job -> !job.ended());
  }

  /** The stage on the way forward. */
  public Standing forward(Stage stage, Collection<String> hosts) {
    return pursue(JobStep.Hook, about(stage, hosts), hosts);
  }

  /** The stage on the way back. */
  public Standing back(Stage stage, Collection<String> hosts) {
    return pursue(JobStep.Unhook, begun(about(stage, hosts)), hosts);
  }

  private List<BatchHook> about(Stage stage, Collection<String> hosts) {
    return hooks.stream()
        .filter(hook -> hook.stage() == stage && hook.hosts().stream().anyMatch(hosts::contains))
        .toList();
  }

  /** Of these post hooks those whose pre hook somebody was given. */
  private List<BatchHook> begun(List<BatchHook> posts) {
    Set<Integer> begun =
        handle
            .createQuery(
                """
                SELECT DISTINCT hook FROM jobs
                WHERE grant_id = :grant AND hook IS NOT NULL AND step = 'Hook' AND attempt > 0
                """)
            .bind("grant", grant.id())
            .mapTo(Integer.class)
            .collect(Collectors.toSet());
    return posts.stream().filter(post -> post.pre().filter(begun::contains).isPresent()).toList();
  }

  private Standing pursue(JobStep step, List<BatchHook> wanted, Collection<String> hosts) {
    Map<Integer, JobRow> lasts = JobRow.lastOfHooks(handle, grant.id(), step);
    for (List<BatchHook> together : inOrder(wanted).values()) {
      int before = published;
      for (BatchHook hook : together) {
        if (!settled(lasts.get(hook.number()))) {
          published += HookPublication.publish(handle, grant, step, hook.number(), hosts);
        }
      }
      if (published > before) {
        lasts = JobRow.lastOfHooks(handle, grant.id(), step);
      }
      Optional<Standing> stop = stop(together, lasts, hosts);
      if (stop.isPresent()) {
        return stop.get();
      }
    }
    return new Done();
  }

  private static SortedMap<Integer, List<BatchHook>> inOrder(List<BatchHook> wanted) {
    Comparator<Integer> order = Comparator.naturalOrder();
    boolean pre = wanted.stream().allMatch(hook -> hook.stage().pre());
    SortedMap<Integer, List<BatchHook>> orders = new TreeMap<>(pre ? order : order.reversed());
    wanted.forEach(hook -> orders.computeIfAbsent(hook.order(), _ -> new ArrayList<>()).add(hook));
    return orders;
  }

  /** Whether there is nothing to publish, nor to adopt from an earlier run. */
  private boolean settled(@Nullable JobRow last) {
    return last != null
        && (last.run() == grant.run() || (last.ended() && !last.endedUntouched()))
        && last.state() != JobState.Waited;
  }

  private Optional<Standing> stop(
      List<BatchHook> together, Map<Integer, JobRow> lasts, Collection<String> hosts) {
    List<BatchHook> running = new ArrayList<>();
    List<FailedHook> failed = new ArrayList<>();
    Optional<String> veto = Optional.empty();
    for (BatchHook hook : together) {
      JobRow job = Objects.requireNonNull(lasts.get(hook.number()));
      if (!job.ended()) {
        running.add(hook);
      } else if (job.state() == JobState.Vetoed) {
        veto = Optional.of(failure(hook, job));
      } else if (job.state() != JobState.Done) {
        failed.add(new FailedHook(job, left(hook, hosts), failure(hook, job)));
      }
    }
    if (!running.isEmpty()) {
      new HookDisplay(handle, grant).shows(running, together.getFirst().stage());
      return Optional.of(new Waiting());
    }
    return veto.<Standing>map(Vetoed::new)
        .or(() -> failed.isEmpty() ? Optional.empty() : Optional.of(new Failed(failed)));
  }

  private static List<String> left(BatchHook hook, Collection<String> hosts) {
    return hook.hosts().stream().filter(hosts::contains).sorted().toList();
  }

  /** Such as {@code BeforeUndeploy: move-leaders of host h3: no other replica is in sync}. */
  private String failure(BatchHook hook, JobRow job) {
    if (!job.message().isEmpty()) {
      return hook.says() + ": " + job.message();
    }
    if (job.attempt() > 0) {
      return hook.says() + ": every consumer of job " + job.id() + " fell silent";
    }
    return hook.says()
        + ": "
        + askedBefore(job)
            .map("it was not ready in time, and said last: %s"::formatted)
            .orElse("no consumer of " + job.topic() + " claimed job " + job.id() + " in time");
  }

  private Optional<String> askedBefore(JobRow job) {
    return handle
        .createQuery(
            """
            SELECT result->>'message' FROM jobs
            WHERE grant_id = :grant AND hook = :hook AND step = :step AND state = 'Waited'
            ORDER BY round DESC LIMIT 1
            """)
        .bind("grant", grant.id())
        .bind("hook", job.hook())
        .bind("step", job.step().name())
        .mapTo(String.class)
        .findOne();
  }

  /** What was begun by hooks about these hosts and not taken back, by host. */
  public Map<String, List<String>> open(Collection<String> hosts) {
    Map<Integer, JobRow> done = new TreeMap<>();
    JobRow.lastOfHooks(handle, grant.id(), JobStep.Hook).values().stream()
        .filter(job -> job.state() == JobState.Done)
        .forEach(job -> done.put(job.hook(), job));
    JobRow.lastOfHooks(handle, grant.id(), JobStep.Unhook).values().stream()
        .filter(job -> job.state() == JobState.Done)
        .forEach(job -> done.put(job.hook(), job));
    Map<String, List<String>> open = new TreeMap<>();
    for (BatchHook post : begun(hooks)) {
      if (!done.containsKey(post.number())) {
        for (String host : new TreeSet<>(left(post, hosts))) {
          open.computeIfAbsent(host, _ -> new ArrayList<>()).add(post.says());
        }
      }
    }
    return open;
  }

  /** Which post hooks about these hosts are not done on the way forward. */
  public List<String> ahead(Collection<String> hosts) {
    Map<Integer, JobRow> lasts = JobRow.lastOfHooks(handle, grant.id(), JobStep.Hook);
    return hooks.stream()
        .filter(hook -> hook.hosts().stream().anyMatch(hosts::contains))
        .filter(
            hook ->
                Optional.ofNullable(lasts.get(hook.number()))
                    .filter(job -> job.state() == JobState.Done)
                    .isEmpty())
        .map(BatchHook::says)
        .toList();
  }
}
