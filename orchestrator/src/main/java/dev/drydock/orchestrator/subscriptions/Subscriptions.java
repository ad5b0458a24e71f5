package dev.drydock.orchestrator.subscriptions;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.ErrorDetailArray;
import dev.drydock.api.NotificationEvent;
import dev.drydock.api.Subscription;
import dev.drydock.orchestrator.events.EventFeed;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.orchestrator.subscriptions.api.NotificationsResource;
import dev.drydock.orchestrator.subscriptions.api.SubscriptionsResource;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Resources;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Selection;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The subscriptions of all teams. A principal sees and changes those of its own team, and none of
 * others: to it there are no others. Safe for use by many threads.
 */
public final class Subscriptions {
  private static final int OF_A_TEAM_MAX = 100;
  private static final int FILTER_MAX = 1000;
  private static final Pattern APPLICATION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");

  private final Jdbi jdbi;
  private final Transactor transactor;
  private final EventFeed feed;

  public Subscriptions(Jdbi jdbi, EventFeed feed) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.feed = feed;
  }

  /** The resources subscriptions and notifications. */
  public Resources resources() {
    SubscriptionReader subscriptionReader = new SubscriptionReader(jdbi, feed);
    return Resources.of(
            SubscriptionsResource.class, () -> new SubscriptionsResource(this, subscriptionReader))
        .and(NotificationsResource.class, () -> new NotificationsResource(subscriptionReader));
  }

  /**
   * Makes a subscription that is told what happens from now on. The same again changes nothing.
   *
   * @throws ApiException 422 with all faults; 403 for another team; 409 if one of the name has
   *     other filters
   */
  public SubscriptionId create(Principal principal, Subscription wanted) {
    String team = wanted.getTeam().isEmpty() ? principal.team() : wanted.getTeam();
    SubscriptionId id = new SubscriptionId(team, wanted.getName());
    if (!principal.actsFor(team)) {
      throw ApiException.forbidden(
          "NOT_YOUR_TEAM",
          "%s of team %s may not subscribe for team %s"
              .formatted(principal.name(), principal.team(), team));
    }
    long head = feed.head();
    return transactor.call(
        handle -> {
          requireValid(handle, id, wanted);
          handle.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", "team " + team);
          return insert(handle, principal, id, wanted, head);
        });
  }

  private static SubscriptionId insert(
      Handle handle, Principal principal, SubscriptionId id, Subscription wanted, long head) {
    var before = SubscriptionRows.find(handle, id);
    if (before.isPresent()) {
      if (!before.get().interest().sameFilters(interest(id, wanted))) {
        throw ApiException.conflict(
            "SUBSCRIPTION_EXISTS",
            "subscription " + id + " exists with other filters; delete it or choose another name");
      }
      return id;
    }
    requireRoom(handle, id.team());
    SubscriptionFilter subscriptionFilter = interest(id, wanted);
    Sql.update(
        handle,
        """
        INSERT INTO subscriptions (team, name, events, applications, rollouts, acknowledged, created_by)
        VALUES (:team, :name, :events, :applications, :rollouts, :head, :by)
        """,
        Map.of(
            "team", id.team(),
            "name", id.name(),
            "events",
                subscriptionFilter.events().stream().map(NotificationEvent::name).sorted().toList(),
            "applications", subscriptionFilter.applications().stream().sorted().toList(),
            "rollouts", subscriptionFilter.rollouts().stream().sorted().toList(),
            "head", head,
            "by", principal.name()));
    audit(handle, principal, "create", id, Map.of("acknowledged", head));
    return id;
  }

  private static SubscriptionFilter interest(SubscriptionId id, Subscription wanted) {
    return new SubscriptionFilter(
        id.team(),
        Set.copyOf(wanted.getEvents()),
        Set.copyOf(wanted.getApplications()),
        Set.copyOf(wanted.getRollouts()),
        Map.of());
  }

  private static void requireValid(Handle handle, SubscriptionId id, Subscription wanted) {
    List<ErrorDetail> faults = new ArrayList<>();
    if (!SubscriptionId.isName(id.name())) {
      faults.add(
          ApiException.detail(
              "name", "must be lower-case letters, digits and '-', at most 63 characters"));
    }
    if (!SubscriptionId.isTeam(id.team())) {
      faults.add(ApiException.detail("team", "is not the name of a team"));
    }
    for (int i = 0; i < wanted.getApplications().size(); i++) {
      if (!APPLICATION.matcher(wanted.getApplications().get(i)).matches()) {
        faults.add(
            ApiException.detail("applications[" + i + "]", "is not the name of an application"));
      }
    }
    for (int i = 0; i < wanted.getRollouts().size(); i++) {
      String rollout = wanted.getRollouts().get(i);
      if (!APPLICATION.matcher(rollout).matches() || !hasRollout(handle, rollout)) {
        faults.add(ApiException.detail("rollouts[" + i + "]", "there is no rollout of this id"));
      }
    }
    if (wanted.getApplications().size() + wanted.getRollouts().size() > FILTER_MAX) {
      faults.add(
          ApiException.detail(
              "applications", "names more than " + FILTER_MAX + " together with rollouts"));
    }
    if (!faults.isEmpty()) {
      ErrorDetail first = faults.getFirst();
      throw ApiException.invalid(
          "INVALID_SUBSCRIPTION", first.getPath() + " " + first.getMessage(), faults);
    }
  }

  private static boolean hasRollout(Handle handle, String id) {
    return Sql.yes(handle, "SELECT EXISTS (SELECT FROM rollouts WHERE id = :id)", Map.of("id", id));
  }

  private static void requireRoom(Handle handle, String team) {
    int there =
        Sql.one(
            handle,
            Integer.class,
            "SELECT count(*) FROM subscriptions WHERE team = :team",
            Map.of("team", team));
    if (there >= OF_A_TEAM_MAX) {
      throw ApiException.conflict(
          "TOO_MANY_SUBSCRIPTIONS",
          "team %s has %d subscriptions, the most there may be; delete one".formatted(team, there));
    }
  }

  /** One of them, with why it is told nothing if that is so. */
  public Subscription get(Principal principal, String id, FieldMask fieldMask) {
    SubscriptionId read = id(principal, id);
    return jdbi.withHandle(
        handle -> {
          Subscription found =
              SubscriptionRows.RECORDS
                  .select(fieldMask)
                  .where("s.team = :team AND s.name = :name")
                  .bind("team", read.team())
                  .bind("name", read.name())
                  .first(handle)
                  .orElseThrow(() -> unknown(id));
          if (fieldMask.wants("warnings")) {
            SubscriptionRows.find(handle, read)
                .ifPresent(
                    row ->
                        found.setWarnings(
                            new ErrorDetailArray(SubscriptionWarnings.of(handle, row))));
          }
          return found;
        });
  }

  /** Those of the caller's team; an administrator's are all. */
  public Page<Subscription> page(
      Principal principal, PageRequest pageRequest, FieldMask fieldMask) {
    Selection<Subscription> all =
        SubscriptionRows.RECORDS.select(fieldMask).orderBy("s.team, s.name");
    return principal.role() == Role.ADMIN
        ? all.page(jdbi, pageRequest)
        : all.where("s.team = :team").bind("team", principal.team()).page(jdbi, pageRequest);
  }

  /**
   * Forgets it and where its reader was.
   *
   * @throws ApiException 404; 409 while a policy of its team names it
   */
  public void delete(Principal principal, String id) {
    SubscriptionId read = id(principal, id);
    transactor.call(
        handle -> {
          if (SubscriptionRows.lock(handle, read).isEmpty()) {
            throw unknown(id);
          }
          List<String> named =
              SubscriptionRows.RECORDS
                  .select(FieldMask.of("policies"))
                  .where("s.team = :team AND s.name = :name")
                  .bind("team", read.team())
                  .bind("name", read.name())
                  .first(handle)
                  .orElseThrow()
                  .getPolicies();
          if (!named.isEmpty()) {
            throw ApiException.conflict(
                "SUBSCRIPTION_IN_USE",
                "subscription %s is named by notify of policy %s; take it out there first"
                    .formatted(read, String.join(", ", named)));
          }
          Sql.update(
              handle,
              "DELETE FROM subscriptions WHERE team = :team AND name = :name",
              Map.of("team", read.team(), "name", read.name()));
          audit(handle, principal, "delete", read, Map.of());
          return true;
        });
  }

  /** The id of one the principal may see. */
  static SubscriptionId id(Principal principal, String sent) {
    return SubscriptionId.read(sent, principal)
        .filter(id -> principal.actsFor(id.team()))
        .orElseThrow(() -> unknown(sent));
  }

  static ApiException unknown(String sent) {
    return ApiException.notFound(
        "UNKNOWN_SUBSCRIPTION",
        SubscriptionId.isName(sent.substring(sent.indexOf('~') + 1))
            ? "there is no subscription " + sent + " of your team"
            : "there is no subscription with this id");
  }

  static void audit(
      Handle handle,
      Principal principal,
      String what,
      SubscriptionId id,
      Map<String, Object> detail) {
    AuditTrail.record(
        handle, principal, "subscription." + what, "subscription/" + id, Json.writeTree(detail));
  }
}
