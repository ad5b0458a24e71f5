package dev.drydock.orchestrator.api;

import com.linkedin.data.template.StringMap;
import com.linkedin.restli.server.CollectionResult;
import com.linkedin.restli.server.NoMetadata;
import com.linkedin.restli.server.PagingContext;
import com.linkedin.restli.server.ResourceLevel;
import com.linkedin.restli.server.annotations.Action;
import com.linkedin.restli.server.annotations.ActionParam;
import com.linkedin.restli.server.annotations.Finder;
import com.linkedin.restli.server.annotations.Optional;
import com.linkedin.restli.server.annotations.PagingContextParam;
import com.linkedin.restli.server.annotations.QueryParam;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.resources.CollectionResourceTemplate;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.Job;
import dev.drydock.api.JobMend;
import dev.drydock.api.JobOutcome;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.orchestrator.jobs.ClaimResult;
import dev.drydock.orchestrator.jobs.CompletionResult;
import dev.drydock.orchestrator.jobs.JobBoard;
import dev.drydock.orchestrator.jobs.JobReport;
import dev.drydock.platform.http.ApiException;
import dev.drydock.platform.http.Paging;
import dev.drydock.platform.http.Projection;
import dev.drydock.platform.identity.Allow;
import dev.drydock.platform.identity.Caller;
import dev.drydock.platform.identity.Principal;
import dev.drydock.platform.identity.Role;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.platform.store.FieldMask;
import dev.drydock.proto.Json;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The job board for consumers: look, claim, renew, note, complete. */
@RestLiCollection(name = "jobs", namespace = "dev.drydock.api", keyName = "job")
public final class JobsResource extends CollectionResourceTemplate<String, Job> {
  private static final int CLAIMABLE_MAX = 100;
  private static final int NOTED_MAX = 32;
  private static final int NOTED_LENGTH_MAX = 2000;
  private static final Pattern CAUSE = Pattern.compile("[a-z0-9-]{0,64}");

  private final JobBoard board;
  private final Metrics metrics;

  public JobsResource(JobBoard board, Metrics metrics) {
    this.board = board;
    this.metrics = metrics;
  }

  /**
   * Jobs of those topics the caller consumes that nobody works on, oldest first.
   *
   * @param steps only of these; of all where there are none
   */
  @Allow(Role.CONSUMER)
  @Finder("claimable")
  public CollectionResult<Job, NoMetadata> claimable(
      @PagingContextParam(defaultCount = 10) PagingContext paging,
      @QueryParam("topics") String[] topics,
      @QueryParam("steps") @Optional JobStep @Nullable [] steps) {
    Principal caller = Caller.of(getContext());
    List<String> own = Arrays.stream(topics).filter(caller::consumes).toList();
    List<JobStep> sought = List.of(steps == null ? JobStep.values() : steps);
    FieldMask fieldMask = Projection.of(getContext());
    return Paging.answer(
        paging, CLAIMABLE_MAX, window -> board.claimable(own, sought, window, fieldMask));
  }

  /** The job is the caller's until its lease ends; counted from before this call was sent. */
  @Allow(Role.CONSUMER)
  @Action(name = "claim", resourceLevel = ResourceLevel.ENTITY)
  public ClaimedJob claim(@ActionParam("consumer") String consumer) {
    if (!InputText.isShortText(consumer)) {
      throw ApiException.invalid(
          "INVALID_REQUEST",
          "consumer must be a text of at most 200 characters",
          List.of(ApiException.detail("consumer", "must be a text of at most 200 characters")));
    }
    return switch (board.claim(job(), consumer, Caller.of(getContext()))) {
      case ClaimResult.Granted granted -> claimed(granted);
      case ClaimResult.Refused refused -> throw refusal(refused);
    };
  }

  /**
   * Lengthens the lease and answers its length in seconds.
   *
   * @param left of a Drain: what the host still has
   */
  @Allow(Role.CONSUMER)
  @Action(name = "heartbeat", resourceLevel = ResourceLevel.ENTITY)
  public long heartbeat(
      @ActionParam("claim") String claim, @ActionParam("left") @Optional @Nullable DrainLeft left) {
    java.util.Optional<DrainLeft> told = java.util.Optional.ofNullable(left);
    told.ifPresent(JobsResource::requirePlain);
    OptionalLong lease = board.heartbeat(job(), claim, told);
    return lease.orElseThrow(() -> lost("cannot be renewed"));
  }

  private ApiException lost(String what) {
    return ApiException.conflict(
        "CLAIM_LOST", "this claim of job " + job() + " " + what + "; " + board.standing(job()));
  }

  /**
   * Keeps what is known of the host already: whoever does this job next, or another of its batch,
   * is told it, should nobody report an end.
   *
   * @param facts a few, and short: what is long belongs to the result
   */
  @Allow(Role.CONSUMER)
  @Action(name = "note", resourceLevel = ResourceLevel.ENTITY)
  public boolean note(@ActionParam("claim") String claim, @ActionParam("facts") StringMap facts) {
    boolean fit =
        facts.size() <= NOTED_MAX
            && facts.keySet().stream().allMatch(InputText::isShortText)
            && facts.values().stream().allMatch(value -> value.length() <= NOTED_LENGTH_MAX);
    if (!fit || InputText.hasNul(Json.writeTree(facts))) {
      throw ApiException.invalid(
          "INVALID_REQUEST",
          "facts must be at most "
              + NOTED_MAX
              + ", with names and values of at most 200 and "
              + NOTED_LENGTH_MAX
              + " characters and without NUL",
          List.of());
    }
    if (!board.note(job(), claim, facts)) {
      throw lost("keeps nothing");
    }
    return true;
  }

  private static void requirePlain(DrainLeft left) {
    if (left.getCount() < 0 || !InputText.isShortText(left.getWhat())) {
      throw ApiException.invalid(
          "INVALID_REQUEST",
          "left must have a count from 0 and what it counts, in at most 200 characters",
          List.of());
    }
  }

  /** Keeps the result; the same claim and result again are answered alike. */
  @Allow(Role.CONSUMER)
  @Action(name = "complete", resourceLevel = ResourceLevel.ENTITY)
  public boolean complete(
      @ActionParam("claim") String claim, @ActionParam("result") JobResult result) {
    if (InputText.hasNul(Json.write(result))) {
      throw ApiException.invalid(
          "INVALID_RESULT", "the result contains a NUL character", List.of());
    }
    java.util.Optional.ofNullable(result.getLeft()).ifPresent(JobsResource::requirePlain);
    requireStable(result);
    switch (board.complete(job(), claim, JobReport.of(result), Caller.of(getContext()))) {
      case CompletionResult.Accepted accepted -> count(accepted, result.getOutcome());
      case CompletionResult.Refused refused -> throw refusal(refused);
    }
    return true;
  }

  private static void requireStable(JobResult result) {
    if (result.getMend() == JobMend.$UNKNOWN) {
      throw ApiException.invalid(
          "INVALID_RESULT", "mend must be Time or People, or be left out", List.of());
    }
    if (!CAUSE.matcher(result.getCause()).matches()) {
      throw ApiException.invalid(
          "INVALID_RESULT",
          "cause must be at most 64 of the characters a-z, 0-9 and -, such as source-unreadable",
          List.of());
    }
  }

  private String job() {
    return InputText.id(getContext().getPathKeys().getAsString("job"), "UNKNOWN_JOB");
  }

  private static ClaimedJob claimed(ClaimResult.Granted granted) {
    return new ClaimedJob()
        .setJob(Json.read(granted.job(), Job.class))
        .setClaim(granted.secret())
        .setAttempt(granted.attempt())
        .setToken(granted.token())
        .setLeaseSeconds(Math.toIntExact(granted.leaseSeconds()));
  }

  private static ApiException refusal(ClaimResult.Refused refused) {
    return switch (refused.reason()) {
      case UNKNOWN_JOB -> ApiException.notFound("UNKNOWN_JOB", refused.message());
      case TOPIC_NOT_YOURS -> ApiException.forbidden("TOPIC_NOT_YOURS", refused.message());
      case JOB_NOT_PENDING, GRANT_NOT_ALIVE, CHECK_STALE, DEADLINE_PASSED, RECOVERY_MODE ->
          ApiException.conflict(refused.reason().name(), refused.message());
    };
  }

  private static ApiException refusal(CompletionResult.Refused refused) {
    return switch (refused.reason()) {
      case UNKNOWN_JOB -> ApiException.notFound("UNKNOWN_JOB", refused.message());
      case INVALID_RESULT -> ApiException.invalid("INVALID_RESULT", refused.message(), List.of());
      case CLAIM_LOST, RESULT_DIFFERS ->
          ApiException.conflict(refused.reason().name(), refused.message());
    };
  }

  private void count(CompletionResult.Accepted accepted, JobOutcome outcome) {
    if (!accepted.repeated()) {
      String step = job().split("\\.", 3)[1];
      metrics.jobsCompleted.labelValues(step, outcome.name()).inc();
    }
  }
}
