package dev.drydock.orchestrator.hooks;

import dev.drydock.impact.core.Hook.Scope;
import dev.drydock.impact.core.Hook.Stage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A hook of a batch as its row says.
 *
 * @param target an instance, a host or, of the scope Batch, the grant
 * @param hosts what it is about, also those that left the batch since
 * @param pre number of the pre hook whose effect it takes back
 */
record BatchHook(
    int number,
    String name,
    Stage stage,
    Scope scope,
    String target,
    List<String> hosts,
    int order,
    Optional<Integer> pre) {

  BatchHook {
    hosts = List.copyOf(hosts);
  }

  static BatchHook of(ResultSet row) throws SQLException {
    int pre = row.getInt("pre");
    return new BatchHook(
        row.getInt("number"),
        row.getString("name"),
        Stage.of(row.getString("stage")),
        Scope.valueOf(row.getString("scope").toUpperCase(Locale.ROOT)),
        row.getString("target"),
        List.of((String[]) row.getArray("hosts").getArray()),
        row.getInt("ordinal"),
        pre == 0 ? Optional.empty() : Optional.of(pre));
  }

  /** Such as {@code BeforeUndeploy: move-leaders}. */
  String title() {
    return stage.word() + ": " + name;
  }

  /** Such as {@code BeforeUndeploy: move-leaders of host h3}. */
  String says() {
    return title()
        + switch (scope) {
          case INSTANCE -> " of instance " + target;
          case HOST -> " of host " + target;
          case BATCH -> " of the batch";
        };
  }
}
