package dev.drydock.orchestrator.batch;

import dev.drydock.orchestrator.core.model.BatchHook;
import dev.drydock.orchestrator.store.GrantRow;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;

/**
 * Writes the rows of the hooks of a batch, once: when its hosts are cordoned. Before that instances
 * may come and go, after it policies may.
 */
final class HookWriter {
  private final Handle handle;
  private final GrantRow grant;

  HookWriter(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  void write(List<BatchHook> hooks) {
    Sql.update(
        handle,
        "UPDATE grants SET hooked = :hooked WHERE id = :id",
        Map.of("hooked", !hooks.isEmpty(), "id", grant.id()));
    if (hooks.isEmpty()) {
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
    hooks.forEach(hook -> add(batch, hook));
    batch.execute();
  }

  private void add(PreparedBatch batch, BatchHook hook) {
    batch
        .bind("grant", grant.id())
        .bind("number", hook.number())
        .bind("name", hook.name())
        .bind("stage", hook.stage().word())
        .bind("scope", hook.scope().word())
        .bind("target", hook.target())
        .bindArray("hosts", String.class, hook.hosts())
        .bindArray("instances", String.class, hook.instances())
        .bind("order", hook.order())
        .bind("policy", hook.source().policy())
        .bind("version", hook.source().version())
        .bind("team", hook.source().team())
        .bind("params", Json.writeTree(new HashMap<>(hook.params())))
        .bind("timeout", hook.timeout().toSeconds())
        .bind("pre", hook.pre().orElse(0))
        .add();
  }
}
