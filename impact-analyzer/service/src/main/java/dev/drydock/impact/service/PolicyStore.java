package dev.drydock.impact.service;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.PolicyDocument;
import dev.drydock.impact.core.Policy;
import dev.drydock.impact.policy.PolicyParser;
import dev.drydock.impact.policy.PolicyParser.Parsed;
import dev.drydock.lock.core.Generation;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.HttpStatus;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the policies of all teams, in versions. Safe for use by many threads.
 *
 * <p>Properties: an application has at most one policy. Once an apply is answered, nothing is
 * granted by the policy it replaced: the generation is bumped after the new version is committed
 * and before the answer (protocol P2). An apply whose answer was lost can be repeated: the same
 * text is the same version, and bumps again.
 */
public final class PolicyStore {
  private static final Logger log = LoggerFactory.getLogger(PolicyStore.class);
  private static final long LOCK = 0x6472_7964_6f63_6b02L;

  private final Jdbi jdbi;
  private final Generation generation;

  PolicyStore(Jdbi jdbi, Generation generation) {
    this.jdbi = jdbi;
    this.generation = generation;
  }

  /**
   * Puts a policy in force as the next version of its name.
   *
   * @throws ApiException 422 with all faults; 403 for a policy of another team; 503 when it is
   *     stored but grants by the old one could not be ruled out yet
   */
  public StoredPolicy apply(Principal principal, String yaml) {
    Parsed parsed = parse(yaml);
    StoredPolicy stored = jdbi.inTransaction(handle -> store(handle, principal, parsed, yaml));
    try {
      generation.bump();
    } catch (RuntimeException unknown) {
      log.warn("the generation could not be bumped for policy {}", stored.name(), unknown);
      throw new ApiException(
          HttpStatus.UNAVAILABLE,
          "NOT_IN_FORCE_YET",
          "policy %s is stored as version %d, but the lock store did not answer; apply it again"
              .formatted(stored.name(), stored.version()),
          List.of());
    }
    return stored;
  }

  /**
   * Says what {@link #apply} would say about the text, but for whose team it is, and changes
   * nothing.
   *
   * @return what was read, with a policy
   */
  public Parsed lint(String yaml) {
    Parsed parsed = parse(yaml);
    Policy policy = parsed.policy().orElseThrow();
    jdbi.useTransaction(
        handle -> {
          refuseTaken(handle, policy, parsed);
          PolicyNotices.refuseUnknown(handle, policy.team(), parsed);
        });
    return parsed;
  }

  /** The newest version of a policy. */
  public Optional<StoredPolicy> find(String name) {
    return PolicyParser.isName(name)
        ? jdbi.withHandle(handle -> PolicyRows.find(handle, name))
        : Optional.empty();
  }

  /** The newest version of a policy, as far as it is wanted. */
  public Optional<PolicyDocument> find(String name, FieldMask fieldMask) {
    return PolicyParser.isName(name)
        ? jdbi.withHandle(handle -> PolicyRows.document(handle, name, fieldMask))
        : Optional.empty();
  }

  /** The newest version of every policy, by name. */
  public Page<PolicyDocument> page(PageRequest pageRequest, FieldMask fieldMask) {
    return PolicyRows.documents(fieldMask).page(jdbi, pageRequest);
  }

  private static Parsed parse(String yaml) {
    Parsed parsed = PolicyParser.parse(yaml);
    if (parsed.policy().isEmpty()) {
      throw invalid(
          parsed.faults().stream()
              .map(f -> ApiException.detail(f.path(), f.line(), f.message()))
              .toList());
    }
    return parsed;
  }

  static ApiException invalid(List<ErrorDetail> details) {
    ErrorDetail first = details.getFirst();
    String more = details.size() == 1 ? "" : " (and %d more)".formatted(details.size() - 1);
    return ApiException.invalid(
        "INVALID_POLICY",
        "line %d: %s %s%s".formatted(first.getLine(), first.getPath(), first.getMessage(), more),
        details);
  }

  private static StoredPolicy store(
      Handle handle, Principal principal, Parsed parsed, String yaml) {
    handle.execute("SELECT pg_advisory_xact_lock(?)", LOCK);
    Policy policy = parsed.policy().orElseThrow();
    Optional<StoredPolicy> before = PolicyRows.find(handle, policy.name());
    refuseForeign(principal, policy.team(), policy.name());
    before.ifPresent(known -> refuseForeign(principal, known.team(), known.name()));
    refuseTaken(handle, policy, parsed);
    PolicyNotices.refuseUnknown(handle, policy.team(), parsed);
    if (before.isPresent() && before.get().yaml().equals(yaml)) {
      return before.get();
    }
    int version = before.map(StoredPolicy::version).orElse(0) + 1;
    insert(handle, principal, policy, version, yaml);
    PolicyNotices.replace(handle, policy.name(), parsed.handling().notices());
    AuditTrail.record(
        handle,
        principal,
        "policy.apply",
        "policy/" + policy.name(),
        Json.writeTree(Map.of("version", version, "applications", policy.applications())));
    WakeupChannel.notify(handle, "grantor");
    return PolicyRows.find(handle, policy.name()).orElseThrow();
  }

  private static void refuseForeign(Principal principal, String team, String name) {
    if (!principal.actsFor(team)) {
      throw ApiException.forbidden(
          "NOT_YOUR_TEAM",
          "%s of team %s may not change policy %s of team %s (metadata.team)"
              .formatted(principal.name(), principal.team(), name, team));
    }
  }

  private static void refuseTaken(Handle handle, Policy policy, Parsed parsed) {
    Map<String, String> owners =
        handle
            .createQuery(
                """
                SELECT application, policy FROM policy_applications
                WHERE application = ANY (:applications) AND policy <> :name
                """)
            .bind("applications", policy.applications().toArray(new String[0]))
            .bind("name", policy.name())
            .reduceRows(
                new HashMap<>(),
                (found, row) -> {
                  found.put(
                      row.getColumn("application", String.class),
                      row.getColumn("policy", String.class));
                  return found;
                });
    List<ErrorDetail> faults = new ArrayList<>();
    for (int i = 0; i < policy.applications().size(); i++) {
      String application = policy.applications().get(i);
      String path = "spec.applications[" + i + "]";
      String owner = owners.get(application);
      if (owner != null) {
        String message =
            "application %s is covered by policy %s already: an application has one policy"
                .formatted(application, owner);
        faults.add(ApiException.detail(path, parsed.lines().getOrDefault(path, 1), message));
      }
    }
    if (!faults.isEmpty()) {
      throw invalid(faults);
    }
  }

  private static void insert(
      Handle handle, Principal principal, Policy policy, int version, String yaml) {
    handle
        .createUpdate(
            """
            INSERT INTO policies (name, version, team, yaml, created_by)
            VALUES (:name, :version, :team, :yaml, :by)
            """)
        .bind("name", policy.name())
        .bind("version", version)
        .bind("team", policy.team())
        .bind("yaml", yaml)
        .bind("by", principal.name())
        .execute();
    handle
        .createUpdate("DELETE FROM policy_applications WHERE policy = :name")
        .bind("name", policy.name())
        .execute();
    handle
        .createUpdate(
            """
            INSERT INTO policy_applications (application, policy)
            SELECT application, :name FROM unnest(CAST(:applications AS text[])) AS t (application)
            """)
        .bind("name", policy.name())
        .bind("applications", policy.applications().toArray(new String[0]))
        .execute();
  }
}
