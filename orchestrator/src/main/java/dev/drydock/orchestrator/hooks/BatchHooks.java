package dev.drydock.orchestrator.hooks;

import static java.util.Objects.requireNonNull;

import dev.drydock.impact.core.Hook;
import dev.drydock.orchestrator.core.model.HookPolicy;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * The rows of the hooks of batches. They are written once, when the placement of the batch is
 * frozen: before that instances may come and go, after it policies may. The caller holds the lock
 * of the grant.
 */
public final class BatchHooks {
  private BatchHooks() {}

  /** Whether the batch has any; empty until they are written. */
  public static Optional<Boolean> written(Handle handle, String grant) {
    return handle
        .createQuery("SELECT hooked FROM grants WHERE id = :id AND hooked IS NOT NULL")
        .bind("id", grant)
        .mapTo(Boolean.class)
        .findOne();
  }

  /**
   * Writes what these policies say of what runs on the hosts, unless that was done before.
   *
   * @return whether the batch has any
   */
  public static boolean write(
      Handle handle, GrantRow grant, Collection<String> hosts, List<HookPolicy> policies) {
    Optional<Boolean> before = written(handle, grant.id());
    if (before.isPresent()) {
      return before.get();
    }
    List<Running> running = policies.isEmpty() ? List.of() : running(handle, hosts);
    Writing writing = new Writing(grant.id());
    for (HookPolicy policy : policies) {
      List<Running> own =
          running.stream()
              .filter(one -> policy.applications().contains(one.application()))
              .toList();
      policy.hooks().forEach(hook -> writing.add(policy, hook, own));
    }
    handle
        .createUpdate("UPDATE grants SET hooked = :hooked WHERE id = :id")
        .bind("hooked", !writing.rows.isEmpty())
        .bind("id", grant.id())
        .execute();
    writing.store(handle);
    return !writing.rows.isEmpty();
  }

  /** An instance on a host of the batch. */
  private record Running(String instance, String application, String host) {}

  private static List<Running> running(Handle handle, Collection<String> hosts) {
    return handle
        .createQuery(
            """
            SELECT id, application, host FROM instances
            WHERE host = ANY(:hosts) AND vanished_at IS NULL ORDER BY id
            """)
        .bindArray("hosts", String.class, hosts.toArray(new String[0]))
        .map(
            (row, _) ->
                new Running(
                    row.getString("id"), row.getString("application"), row.getString("host")))
        .list();
  }

  /** The hooks in the order of their grant, and which pre hook belongs to which target. */
  private static final class Writing {
    private final String grant;
    private final List<Map<String, Object>> rows = new ArrayList<>();
    private final Map<String, Integer> pres = new HashMap<>();

    Writing(String grant) {
      this.grant = grant;
    }

    void add(HookPolicy policy, Hook hook, List<Running> running) {
      Map<String, List<Running>> targets = new TreeMap<>();
      for (Running one : running) {
        String target =
            switch (hook.scope()) {
              case INSTANCE -> one.instance();
              case HOST -> one.host();
              case BATCH -> grant;
            };
        targets.computeIfAbsent(target, _ -> new ArrayList<>()).add(one);
      }
      targets.forEach((target, about) -> add(policy, hook, target, about));
    }

    private void add(HookPolicy policy, Hook hook, String target, List<Running> about) {
      int number = rows.size() + 1;
      String line = policy.source().policy() + " " + target + " ";
      if (hook.stage().pre()) {
        pres.put(line + hook.name(), number);
      }
      Map<String, Object> row = new HashMap<>();
      row.put("number", number);
      row.put("name", hook.name());
      row.put("stage", hook.stage().word());
      row.put("scope", hook.scope().word());
      row.put("target", target);
      row.put("hosts", about.stream().map(Running::host).distinct().toArray(String[]::new));
      row.put("instances", about.stream().map(Running::instance).toArray(String[]::new));
      row.put("order", hook.order());
      row.put("policy", policy.source().policy());
      row.put("version", policy.source().version());
      row.put("team", policy.source().team());
      row.put("params", Json.writeTree(new HashMap<>(hook.params())));
      row.put("timeout", hook.timeout().toSeconds());
      row.put("pre", hook.of().map(of -> requireNonNull(pres.get(line + of))).orElse(0));
      rows.add(row);
    }

    void store(Handle handle) {
      if (rows.isEmpty()) {
        return;
      }
      PreparedBatch batch =
          handle.prepareBatch(
              """
              INSERT INTO batch_hooks
                (grant_id, number, name, stage, scope, target, hosts, instances, ordinal, policy,
                 policy_version, team, params, timeout_seconds, pre)
              VALUES (:grant, :number, :name, :stage, :scope, :target, :hosts, :instances, :order,
                      :policy, :version, :team, CAST(:params AS jsonb), :timeout, NULLIF(:pre, 0))
              """);
      rows.forEach(row -> batch.bind("grant", grant).bindMap(row).add());
      batch.execute();
    }
  }

  /** All of them, by number. */
  static List<BatchHook> of(Handle handle, String grant) {
    return handle
        .createQuery(
            """
            SELECT number, name, stage, scope, target, hosts, ordinal, pre FROM batch_hooks
            WHERE grant_id = :grant ORDER BY number
            """)
        .bind("grant", grant)
        .map((row, _) -> BatchHook.of(row))
        .list();
  }
}
