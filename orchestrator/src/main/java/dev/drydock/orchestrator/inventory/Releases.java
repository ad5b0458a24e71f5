package dev.drydock.orchestrator.inventory;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Release;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.identity.AuditTrail;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.store.Columns;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.platform.store.Page;
import dev.drydock.platform.store.PageRequest;
import dev.drydock.platform.store.Sql;
import dev.drydock.proto.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * The release catalogue. A release never changes once it is in: hosts were upgraded by what it
 * said. Safe for use by many threads.
 */
public final class Releases {
  private static final Columns<Release> RELEASES =
      Columns.of(Release.class, "releases r")
          .named("r", "name createdAt createdBy")
          .rest("r.spec")
          .complete();

  private final Jdbi jdbi;

  Releases(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * Adds a release; adding the same again changes nothing.
   *
   * @throws ApiException 422 with all faults, or 409 if the name has another content
   */
  public void add(Principal principal, Release release) {
    List<ErrorDetail> faults = ReleaseCheck.faults(release);
    if (!faults.isEmpty()) {
      throw ApiException.invalid(
          "INVALID_RELEASE", "the release has %d faults".formatted(faults.size()), faults);
    }
    Release spec = spec(release);
    jdbi.useTransaction(handle -> add(handle, principal, spec));
  }

  private static void add(Handle handle, Principal principal, Release spec) {
    int added =
        Sql.update(
            handle,
            """
            INSERT INTO releases (name, spec, created_by)
            VALUES (:name, CAST(:spec AS jsonb), :by) ON CONFLICT (name) DO NOTHING
            """,
            Map.of(
                "name", spec.getName(),
                "spec", Json.write(spec),
                "by", principal.name()));
    if (added == 1) {
      AuditTrail.record(
          handle, principal, "release.create", "release/" + spec.getName(), Json.write(spec));
    } else if (extend(handle, spec)) {
      AuditTrail.record(
          handle, principal, "release.extend", "release/" + spec.getName(), Json.write(spec));
    } else if (!find(handle, spec.getName(), FieldMask.all())
        .map(Releases::spec)
        .equals(Optional.of(spec))) {
      throw ApiException.conflict(
          "RELEASE_EXISTS",
          "release %s is in the catalogue with another content and cannot change; choose another name"
              .formatted(spec.getName()));
    }
  }

  /**
   * Adds what a release says of dnf hosts, or of images, to one that said nothing of them: no host
   * was upgraded by what is new. False if that is not the difference.
   */
  private static boolean extend(Handle handle, Release spec) {
    return Sql.update(
            handle,
            """
            UPDATE releases SET spec = CAST(:spec AS jsonb)
            WHERE name = :name AND spec <> CAST(:spec AS jsonb) AND spec IN
              (CAST(:apt AS jsonb), CAST(:withoutDnf AS jsonb), CAST(:withoutImages AS jsonb))
            """,
            Map.of(
                "name", spec.getName(),
                "spec", Json.write(spec),
                "apt", Json.writeTree(aptSpec(spec)),
                "withoutDnf", Json.writeTree(with(spec, false, true)),
                "withoutImages", Json.writeTree(with(spec, true, false))))
        == 1;
  }

  /** The release of this name. */
  public Optional<Release> find(String name) {
    return find(name, FieldMask.all());
  }

  /** Some fields of the release of this name. */
  public Optional<Release> find(String name, FieldMask fieldMask) {
    return NameRules.isName(name)
        ? jdbi.withHandle(handle -> find(handle, name, fieldMask))
        : Optional.empty();
  }

  private static Optional<Release> find(Handle handle, String name, FieldMask fieldMask) {
    return RELEASES.select(fieldMask).where("r.name = :name").bind("name", name).first(handle);
  }

  /** A part of the catalogue, newest first. */
  public Page<Release> page(PageRequest pageRequest, FieldMask fieldMask) {
    return RELEASES.select(fieldMask).orderBy("r.created_at DESC, r.name").page(jdbi, pageRequest);
  }

  /** What a release says, without who added it when. */
  private static Release spec(Release release) {
    return Json.read(Json.writeTree(with(release, true, true)), Release.class);
  }

  private static Map<String, Object> with(Release release, boolean dnf, boolean images) {
    Map<String, Object> spec = aptSpec(release);
    if (dnf && release.hasDnfChannel()) {
      spec.put("dnfChannel", release.getDnfChannel());
      spec.put("dnfPackages", release.getDnfPackages());
    }
    if (dnf && release.hasDnfKernel()) {
      spec.put("dnfKernel", release.getDnfKernel());
    }
    if (images && !release.getImages().isEmpty()) {
      spec.put("images", release.getImages());
      spec.put("imageVersion", release.getImageVersion());
    }
    return spec;
  }

  private static Map<String, Object> aptSpec(Release release) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("name", release.getName());
    spec.put("channel", release.getChannel());
    spec.put("packages", release.getPackages());
    spec.put("kernel", release.getKernel());
    if (!release.getHealth().isEmpty()) {
      spec.put("health", release.getHealth().data());
    }
    return spec;
  }
}
