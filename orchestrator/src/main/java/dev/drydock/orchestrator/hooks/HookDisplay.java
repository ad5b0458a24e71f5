package dev.drydock.orchestrator.hooks;

import dev.drydock.impact.core.Hook.Stage;
import dev.drydock.orchestrator.store.BatchHosts;
import dev.drydock.orchestrator.store.GrantRow;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jdbi.v3.core.Handle;

/** Shows as the step of each host which hooks run there; of the others which stage they wait in. */
final class HookDisplay {
  private final Handle handle;
  private final GrantRow grant;

  HookDisplay(Handle handle, GrantRow grant) {
    this.handle = handle;
    this.grant = grant;
  }

  void shows(List<BatchHook> running, Stage stage) {
    TreeMap<String, TreeSet<String>> names = new TreeMap<>();
    BatchHosts.active(handle, grant.id()).forEach(host -> names.put(host, new TreeSet<>()));
    for (BatchHook hook : running) {
      for (String host : hook.hosts()) {
        names.computeIfPresent(
            host,
            (_, own) -> {
              own.add(hook.name());
              return own;
            });
      }
    }
    names.forEach(
        (host, own) ->
            BatchHosts.step(
                handle,
                grant.id(),
                host,
                own.isEmpty() ? stage.word() : stage.word() + ": " + String.join(", ", own)));
  }
}
