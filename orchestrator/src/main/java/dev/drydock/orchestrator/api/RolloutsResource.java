package dev.drydock.orchestrator.api;

import com.linkedin.restli.common.HttpStatus;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.CreateResponse;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestMethod;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutPlan;
import dev.drydock.api.RolloutReport;
import dev.drydock.api.RolloutRequest;
import dev.drydock.orchestrator.control.FollowUps;
import dev.drydock.orchestrator.control.FollowUps.Wish;
import dev.drydock.orchestrator.control.HostChanges;
import dev.drydock.orchestrator.control.RolloutCommand;
import dev.drydock.orchestrator.control.RolloutControl;
import dev.drydock.orchestrator.intake.RolloutIntake;
import dev.drydock.orchestrator.intake.Submission;
import dev.drydock.orchestrator.intake.Submission.Terms;
import dev.drydock.orchestrator.report.ReportStore;
import dev.drydock.orchestrator.store.BatchAdvancer;
import dev.drydock.orchestrator.store.RolloutStore;
import dev.drydock.orchestrator.store.ZonePolicy;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Validation;
import java.time.Instant;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** Submissions and how far they came. What is submitted is a {@link RolloutRequest}. */
@RestLiCollection(name = "rollouts", namespace = "dev.drydock.api", keyName = "rollout")
public final class RolloutsResource extends CollectionResourceTemplate<String, Rollout> {
  private final RolloutIntake intake;
  private final RolloutStore rollouts;
  private final ReportStore reports;
  private final Controls controls;

  /** What can be asked of a rollout under way. */
  public record Controls(RolloutControl states, HostChanges hosts, FollowUps followUps) {
    public static Controls of(
        Jdbi jdbi, RolloutIntake intake, ZonePolicy zonePolicy, BatchAdvancer batchAdvancer) {
      return new Controls(
          new RolloutControl(jdbi, batchAdvancer),
          new HostChanges(jdbi, intake, zonePolicy),
          new FollowUps(jdbi, intake));
    }
  }

  public RolloutsResource(
      RolloutIntake intake, RolloutStore rollouts, ReportStore reports, Controls controls) {
    this.intake = intake;
    this.rollouts = rollouts;
    this.reports = reports;
    this.controls = controls;
  }

  /** Starts a rollout; the same requestId again answers the rollout of the first time. */
  @Allow(Role.OPERATOR)
  @RestMethod.Create
  @Override
  public CreateResponse create(Rollout submitted) {
    Submission submission = submission(new RolloutRequest(submitted.data()));
    return new CreateResponse(
        intake.submit(Caller.of(getContext()), submission), HttpStatus.S_201_CREATED);
  }

  /** What would become of a submission by the facts of now; nothing is written. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Action(name = "plan", resourceLevel = ResourceLevel.COLLECTION)
  public RolloutPlan plan(@ActionParam("request") RolloutRequest request) {
    return PlanRecords.plan(request.getRelease(), intake.plan(submission(request)));
  }

  private static Submission submission(RolloutRequest request) {
    List<ErrorDetail> faults = Validation.strict(request);
    if (!faults.isEmpty()) {
      throw ApiException.invalid(
          "INVALID_REQUEST", "The request is not a RolloutRequest; see details.", faults);
    }
    return new Submission(
        request.getRelease(),
        request.getMode().name(),
        request.getHosts(),
        request.getSelector(),
        request.getReason(),
        java.util.Optional.ofNullable(request.getRequestId()),
        request.getPriority().name(),
        java.util.Optional.ofNullable(request.getPlan()).map(PlanRecords::named),
        new Terms(
            java.util.Optional.ofNullable(request.getStartAt()).map(Instant::ofEpochMilli),
            request.getChangeTicket(),
            java.util.Optional.empty()));
  }

  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.Get
  @Override
  public Rollout get(String id) {
    return rollouts
        .find(InputText.id(id, "UNKNOWN_ROLLOUT"), Projection.of(getContext()))
        .orElseThrow(() -> unknown(id));
  }

  /** All rollouts, newest first, in pages of at most 1000. */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @RestMethod.GetAll
  public CollectionResult<Rollout, NoMetadata> list(
      @PagingContextParam(defaultCount = 100) PagingContext paging) {
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(paging, Paging.COUNT_MAX, window -> rollouts.page(window, fieldMask));
  }

  /**
   * What the rollout changed on its hosts, so far when it still runs.
   *
   * @param all whether packages that changed on no host are listed too
   * @param advisories OSV JSON of at most 4 MiB: the CVEs to look for
   */
  @Allow({Role.VIEWER, Role.OPERATOR, Role.OWNER, Role.CONSUMER})
  @Action(name = "report", resourceLevel = ResourceLevel.ENTITY)
  public RolloutReport report(
      @ActionParam("all") @Optional("false") boolean all,
      @ActionParam("advisories") @Optional @Nullable String advisories) {
    String id = entity();
    try {
      return reports
          .draw(id, all, java.util.Optional.ofNullable(advisories))
          .map(ReportRecords::report)
          .orElseThrow(() -> unknown(id));
    } catch (InvalidRecordException e) {
      throw ApiException.invalid(
          "INVALID_ADVISORIES",
          e.details().isEmpty()
              ? "the advisories cannot be used: " + e.getMessage()
              : "the advisories have %d faults".formatted(e.details().size()),
          e.details());
    }
  }

  /**
   * No host begins any more; those in progress go on to their end. Owners pause rollouts that touch
   * applications of their team.
   */
  @Allow({Role.OPERATOR, Role.OWNER})
  @Action(name = "pause", resourceLevel = ResourceLevel.ENTITY)
  public Rollout pause(@ActionParam("reason") @Optional("") String reason) {
    return command(RolloutCommand.PAUSE, reason);
  }

  /** Hosts begin again. */
  @Allow(Role.OPERATOR)
  @Action(name = "resume", resourceLevel = ResourceLevel.ENTITY)
  public Rollout resume(@ActionParam("reason") @Optional("") String reason) {
    return command(RolloutCommand.RESUME, reason);
  }

  /**
   * No host begins any more, and every batch whose update has not begun is brought back to what it
   * was. Aborted once the last has ended.
   */
  @Allow(Role.OPERATOR)
  @Action(name = "abort", resourceLevel = ResourceLevel.ENTITY)
  public Rollout abort(@ActionParam("reason") @Optional("") String reason) {
    return command(RolloutCommand.ABORT, reason);
  }

  private Rollout command(RolloutCommand rolloutCommand, String reason) {
    String id = entity();
    controls
        .states()
        .command(Caller.of(getContext()), id, rolloutCommand, InputText.reason(reason));
    return get(id);
  }

  /** Hosts join behind all others; those that are in it already stay where they are. */
  @Allow(Role.OPERATOR)
  @Action(name = "addHosts", resourceLevel = ResourceLevel.ENTITY)
  public Rollout addHosts(
      @ActionParam("hosts") String[] hosts, @ActionParam("reason") @Optional("") String reason) {
    controls
        .hosts()
        .add(Caller.of(getContext()), entity(), List.of(hosts), InputText.reason(reason));
    return get(entity());
  }

  /** Hosts that have not begun leave. */
  @Allow(Role.OPERATOR)
  @Action(name = "removeHosts", resourceLevel = ResourceLevel.ENTITY)
  public Rollout removeHosts(
      @ActionParam("hosts") String[] hosts, @ActionParam("reason") @Optional("") String reason) {
    controls
        .hosts()
        .remove(Caller.of(getContext()), entity(), List.of(hosts), InputText.reason(reason));
    return get(entity());
  }

  /**
   * Another rollout for the hosts that failed.
   *
   * @param requestId chosen by the client: asking again with it is asking once
   */
  @Allow(Role.OPERATOR)
  @Action(name = "retry", resourceLevel = ResourceLevel.ENTITY)
  public Rollout retry(
      @ActionParam("reason") @Optional("") String reason,
      @ActionParam("requestId") @Optional @Nullable String requestId) {
    return get(
        controls.followUps().retry(Caller.of(getContext()), entity(), wish(reason, requestId)));
  }

  /**
   * Another rollout that takes the upgraded hosts back.
   *
   * @param release where to, if the server does not know what they had before
   * @param requestId chosen by the client: asking again with it is asking once
   */
  @Allow(Role.OPERATOR)
  @Action(name = "revert", resourceLevel = ResourceLevel.ENTITY)
  public Rollout revert(
      @ActionParam("release") @Optional @Nullable String release,
      @ActionParam("reason") @Optional("") String reason,
      @ActionParam("requestId") @Optional @Nullable String requestId) {
    return get(
        controls
            .followUps()
            .revert(
                Caller.of(getContext()),
                entity(),
                java.util.Optional.ofNullable(release),
                wish(reason, requestId)));
  }

  private static Wish wish(String reason, @Nullable String requestId) {
    return new Wish(InputText.reason(reason), java.util.Optional.ofNullable(requestId));
  }

  private String entity() {
    return InputText.id(getContext().getPathKeys().getAsString("rollout"), "UNKNOWN_ROLLOUT");
  }

  private static ApiException unknown(String id) {
    return ApiException.notFound("UNKNOWN_ROLLOUT", "there is no rollout " + id);
  }
}
