package dev.drydock.proto.client;

import com.linkedin.data.template.RecordTemplate;
import dev.drydock.api.AuditReport;
import dev.drydock.api.BreakGlassReason;
import dev.drydock.api.ClaimedJob;
import dev.drydock.api.Decision;
import dev.drydock.api.DecisionOption;
import dev.drydock.api.DrainLeft;
import dev.drydock.api.Event;
import dev.drydock.api.FeedPosition;
import dev.drydock.api.Freeze;
import dev.drydock.api.FreezeRequest;
import dev.drydock.api.Host;
import dev.drydock.api.HostDecision;
import dev.drydock.api.HostUpgrade;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.Job;
import dev.drydock.api.JobResult;
import dev.drydock.api.JobStep;
import dev.drydock.api.Lock;
import dev.drydock.api.LockHistoryEntry;
import dev.drydock.api.LockState;
import dev.drydock.api.Notification;
import dev.drydock.api.PolicyDocument;
import dev.drydock.api.Principal;
import dev.drydock.api.Recovery;
import dev.drydock.api.Release;
import dev.drydock.api.ReportReceipt;
import dev.drydock.api.Rollout;
import dev.drydock.api.RolloutPlan;
import dev.drydock.api.RolloutReport;
import dev.drydock.api.RolloutRequest;
import dev.drydock.api.Subscription;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Typed calls to a Drydock server over HTTP and JSON.
 *
 * <p>Every call either returns the server's answer or throws a {@link CallException}. Calls that
 * may be sent twice (reads, and changes with an id of the caller's choice) are repeated within
 * {@link ClientConfig#retryBudget()} while no answer comes; the others are sent once, and after a
 * {@link CallException} without an answer the caller must look.
 *
 * <p>Thread-safe. Close it to end its connections.
 */
public final class DrydockClient implements AutoCloseable {
  private static final int KEYS_PER_CALL = 5_000;

  /** A try is answered once it is decided, at the latest after so long. */
  private static final Duration VERDICT_MAX = Duration.ofSeconds(10);

  private final Transport transport;
  private final Duration retries;
  private final Duration longestWait;

  public DrydockClient(ClientConfig config) {
    this.transport = new Transport(config);
    this.retries = config.retryBudget();
    this.longestWait = config.callTimeout().dividedBy(2);
  }

  // ---- inventory

  /**
   * The next number of the server's sequence. Fetch it before reading what is then reported under
   * it.
   */
  public long mark(String source) {
    return action("inventory?action=mark", Map.of("source", source), retries).number();
  }

  /** Sent once: the next report says more than a repeated one. */
  public ReportReceipt report(InventoryReport report) {
    return action("inventory?action=report", Map.of("report", report), Duration.ZERO)
        .value(ReportReceipt.class);
  }

  public Host host(String name) {
    return get("hosts/" + RestUri.atom(name)).entity(Host.class);
  }

  public List<Host> hosts() {
    return all("hosts?", Host.class);
  }

  /** The hosts that exist, by name. */
  public Map<String, Host> hosts(Collection<String> names) {
    Map<String, Host> found = new LinkedHashMap<>();
    List<String> rest = List.copyOf(names);
    while (!rest.isEmpty()) {
      List<String> now = rest.subList(0, Math.min(KEYS_PER_CALL, rest.size()));
      rest = rest.subList(now.size(), rest.size());
      found.putAll(get("hosts?ids=" + RestUri.list(now)).results(Host.class));
    }
    return found;
  }

  // ---- releases and policies

  public String addRelease(Release release) {
    return create("releases", release, Duration.ZERO);
  }

  public Release release(String name) {
    return get("releases/" + RestUri.atom(name)).entity(Release.class);
  }

  public List<Release> releases() {
    return all("releases?", Release.class);
  }

  /**
   * Puts the text in force as the next version of the policy it names, and returns that name; the
   * same text again is no new version.
   */
  public String applyPolicy(String yaml) {
    return create("policies", new PolicyDocument().setYaml(yaml), retries);
  }

  public PolicyDocument policy(String name) {
    return get("policies/" + RestUri.atom(name)).entity(PolicyDocument.class);
  }

  public List<PolicyDocument> policies() {
    return all("policies?", PolicyDocument.class);
  }

  /**
   * What the server reads from the text, without storing it. A {@link CallException} carries all
   * its faults.
   */
  public PolicyDocument lintPolicy(String yaml) {
    return action("policies?action=lint", Map.of("yaml", yaml), retries)
        .value(PolicyDocument.class);
  }

  // ---- rollouts

  /** Starts a rollout and returns its id. Repeated only when the request carries a requestId. */
  public String startRollout(RolloutRequest request) {
    return create("rollouts", request, request.hasRequestId() ? retries : Duration.ZERO);
  }

  /** What would become of a submission; changes nothing. */
  public RolloutPlan planRollout(RolloutRequest request) {
    return action("rollouts?action=plan", Map.of("request", request), retries)
        .value(RolloutPlan.class);
  }

  public Rollout rollout(String id) {
    return get("rollouts/" + RestUri.atom(id)).entity(Rollout.class);
  }

  public List<Rollout> rollouts() {
    return all("rollouts?", Rollout.class);
  }

  public List<HostUpgrade> hostUpgrades(String rollout) {
    return all("hostUpgrades?q=rollout&rollout=" + RestUri.atom(rollout) + "&", HostUpgrade.class);
  }

  /** Pauses the rollout, and answers what it is then; asking again changes nothing. */
  public Rollout pauseRollout(String id, String reason) {
    return ofRollout(id, "pause", Map.of("reason", reason));
  }

  /** Lets hosts of a paused rollout begin again. */
  public Rollout resumeRollout(String id, String reason) {
    return ofRollout(id, "resume", Map.of("reason", reason));
  }

  /** Ends the rollout, and brings back what has not been updated. */
  public Rollout abortRollout(String id, String reason) {
    return ofRollout(id, "abort", Map.of("reason", reason));
  }

  /** Hosts join the rollout; those that are in it stay as they are. */
  public Rollout addHosts(String id, List<String> hosts, String reason) {
    return ofRollout(id, "addHosts", Map.of("hosts", hosts, "reason", reason));
  }

  /** Hosts that have not begun leave the rollout. */
  public Rollout removeHosts(String id, List<String> hosts, String reason) {
    return ofRollout(id, "removeHosts", Map.of("hosts", hosts, "reason", reason));
  }

  /** Another rollout for the hosts that failed; the same requestId again answers the same one. */
  public Rollout retryRollout(String id, String reason, String requestId) {
    return ofRollout(id, "retry", Map.of("reason", reason, "requestId", requestId));
  }

  /**
   * Another rollout that takes the upgraded hosts back; the same requestId again answers the same
   * one.
   *
   * @param release where to; empty if the server knows
   */
  public Rollout revertRollout(
      String id, Optional<String> release, String reason, String requestId) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("reason", reason);
    parameters.put("requestId", requestId);
    release.ifPresent(name -> parameters.put("release", name));
    return ofRollout(id, "revert", parameters);
  }

  private Rollout ofRollout(String id, String action, Map<String, Object> parameters) {
    return action("rollouts/" + RestUri.atom(id) + "?action=" + action, parameters, retries)
        .value(Rollout.class);
  }

  /**
   * What the rollout changed on its hosts; for a large one a minute is not too long.
   *
   * @param all whether packages that changed on no host are listed too
   * @param advisories OSV JSON with the CVEs to look for; empty for none
   */
  public RolloutReport rolloutReport(String id, boolean all, String advisories) {
    Map<String, Object> parameters =
        advisories.isEmpty() ? Map.of("all", all) : Map.of("all", all, "advisories", advisories);
    return action("rollouts/" + RestUri.atom(id) + "?action=report", parameters, retries)
        .value(RolloutReport.class);
  }

  /**
   * What the logs of the rollout say of each invariant; for a large one a minute is not too long.
   */
  public AuditReport audit(String rollout) {
    return get("audits/" + RestUri.atom(rollout)).entity(AuditReport.class);
  }

  // ---- events

  /** Where a reader that wants only what happens from now on begins. */
  public String cursorNow() {
    return events("events?q=after").cursor();
  }

  /**
   * What happened to a rollout after the cursor; "0" is before the oldest event that is kept. If
   * nothing did yet, the answer comes with the next event or, without one, when the wait is over;
   * no later than half the call's time-out.
   *
   * @throws CallException with code {@code CursorGone} if some of it is not kept any more
   */
  public EventPage events(String cursor, String rollout, Duration wait) {
    return events(
        "events?q=after&cursor="
            + RestUri.atom(cursor)
            + "&rollout="
            + RestUri.atom(rollout)
            + "&waitMillis="
            + Math.min(wait.toMillis(), longestWait.toMillis()));
  }

  private EventPage events(String path) {
    ServerResponse serverResponse = get(path);
    return new EventPage(
        serverResponse.elements(Event.class),
        serverResponse.metadata(FeedPosition.class).getCursor());
  }

  // ---- subscriptions

  /** The id of the new subscription, or of the same that is there already. */
  public String createSubscription(Subscription wanted) {
    return create("subscriptions", wanted, retries);
  }

  public Subscription subscription(String id) {
    return get(subscriptionPath(id)).entity(Subscription.class);
  }

  /** Those of the caller's team; an administrator's are all. */
  public List<Subscription> subscriptions() {
    return all("subscriptions?", Subscription.class);
  }

  public void deleteSubscription(String id) {
    transport.send(Call.delete(subscriptionPath(id), retries));
  }

  /**
   * What follows the acknowledged cursor. If that is nothing yet, the answer comes with the next
   * notification or, without one, when the wait is over; no later than half the call's time-out.
   *
   * @throws CallException with code {@code CursorGone} if some of it was forgotten
   */
  public NotificationPage pending(String id, int count, Duration wait) {
    String path = "notifications?q=pending&subscription=%s&count=%d&waitMillis=%d";
    ServerResponse serverResponse =
        get(
            path.formatted(
                RestUri.atom(id), count, Math.min(wait.toMillis(), longestWait.toMillis())));
    return new NotificationPage(
        serverResponse.elements(Notification.class),
        serverResponse.metadata(FeedPosition.class).getCursor());
  }

  /** All up to the cursor is done with. */
  public void acknowledge(String id, String cursor) {
    action(subscriptionPath(id) + "?action=ack", Map.of("cursor", cursor), retries);
  }

  /** What comes after the cursor is given again; "0" is everything that is kept. */
  public String replay(String id, String cursor, String reason) {
    return replay(id, Map.of("cursor", cursor, "reason", reason));
  }

  /** The same for what happened since then. */
  public String replay(String id, Instant since, String reason) {
    return replay(id, Map.of("since", since.toEpochMilli(), "reason", reason));
  }

  private String replay(String id, Map<String, Object> parameters) {
    return action(subscriptionPath(id) + "?action=replay", parameters, retries)
        .value(FeedPosition.class)
        .getCursor();
  }

  private static String subscriptionPath(String id) {
    return "subscriptions/" + RestUri.atom(id);
  }

  /** Whose token calls are made with. */
  public Principal principal() {
    return get("principal").entity(Principal.class);
  }

  // ---- locks

  /**
   * Asks for hosts and returns the ticket's id. Repeated only when the request carries a requestId.
   * A try may take ten seconds longer than other calls.
   */
  public String createTicket(TicketRequest request) {
    Duration budget = request.hasRequestId() ? retries : Duration.ZERO;
    Duration verdict = request.getMode() == TicketMode.Try ? VERDICT_MAX : Duration.ZERO;
    return create(new Call("POST", "locks", Json.write(request), budget, verdict));
  }

  public Lock lock(String id) {
    return get("locks/" + RestUri.atom(id)).entity(Lock.class);
  }

  public List<Lock> locks() {
    return all("locks?", Lock.class);
  }

  /** Those that are held by somebody, without who waits. */
  public List<Lock> locksHeld() {
    return all("locks?q=state&state=" + LockState.Held + "&", Lock.class);
  }

  public List<Lock> locksOfHost(String host) {
    return all("locks?q=host&host=" + RestUri.atom(host) + "&", Lock.class);
  }

  /** The newest {@code count} lines of the history of tickets and locks, newest first. */
  public List<LockHistoryEntry> lockHistory(int count) {
    return get("lockHistory?start=0&count=" + count).elements(LockHistoryEntry.class);
  }

  /** The same of one host. */
  public List<LockHistoryEntry> lockHistoryOfHost(String host, int count) {
    return lockHistory("host", host, count);
  }

  /** The same of one ticket, lock or hold. */
  public List<LockHistoryEntry> lockHistoryOf(String lock, int count) {
    return lockHistory("lock", lock, count);
  }

  private List<LockHistoryEntry> lockHistory(String finder, String value, int count) {
    String path = "lockHistory?q=%s&%s=%s&start=0&count=%d";
    return get(path.formatted(finder, finder, RestUri.atom(value), count))
        .elements(LockHistoryEntry.class);
  }

  /** What was decided about a host until then, in milliseconds since 1970, newest first. */
  public List<HostDecision> hostDecisions(String host, long until, int count) {
    String path = "hostDecisions?q=host&host=%s&until=%d&start=0&count=%d";
    return get(path.formatted(RestUri.atom(host), until, count)).elements(HostDecision.class);
  }

  /** Ends a session lock, or leaves the queue. */
  public void releaseLock(String id, String reason) {
    transport.send(
        Call.delete("locks/" + RestUri.atom(id) + "?reason=" + RestUri.atom(reason), retries));
  }

  /** Takes the hosts of a lock away from its holder; they are quarantined. */
  public void breakLock(String id, BreakGlassReason kind, String reason) {
    action(
        "locks/" + RestUri.atom(id) + "?action=breakGlass",
        Map.of("kind", kind.name(), "reason", reason),
        retries);
  }

  /** Starts the lease of a session lock, or the wait of a ticket, anew. */
  public void renewLock(String id) {
    action("locks/" + RestUri.atom(id) + "?action=renew", Map.of(), retries);
  }

  // ---- what people are asked

  /** Those that wait for people first, then the others, newest first. */
  public List<Decision> decisions(boolean open) {
    return all("decisions?open=" + open + "&", Decision.class);
  }

  public Decision decision(String id) {
    return get("decisions/" + RestUri.atom(id)).entity(Decision.class);
  }

  /** Answers it. The same answer of the same person twice is one. */
  public Decision decide(String id, DecisionOption option, String reason) {
    return action(
            "decisions/" + RestUri.atom(id) + "?action=answer",
            Map.of("option", option.name(), "reason", reason),
            retries)
        .value(Decision.class);
  }

  // ---- the fleet brake

  /** Whether the fleet is frozen, by whom and why. */
  public Freeze freeze() {
    return get("freeze").entity(Freeze.class);
  }

  /** Stops all new grants; none is committed any more once this returned. */
  public void freeze(String reason) {
    transport.send(
        new Call("PUT", "freeze", Json.write(new FreezeRequest().setReason(reason)), retries));
  }

  /**
   * Lets grants go on that this freeze stopped. Repeated after a lost answer it lifts no other one,
   * which is a conflict.
   */
  public void unfreeze(Freeze seen, String reason) {
    String query = "freeze?reason=" + RestUri.atom(reason) + "&since=" + seen.getSince();
    transport.send(Call.delete(query, retries));
  }

  /** Whether a store that was restored is being recovered, and how far that is. */
  public Recovery recovery() {
    return get("recovery").entity(Recovery.class);
  }

  // ---- jobs

  /** Jobs nobody works on, oldest first. */
  public List<Job> claimable(Collection<String> topics, int limit) {
    return claimable(topics, List.of(), limit);
  }

  /**
   * Jobs nobody works on, oldest first.
   *
   * @param steps only of these; of all where there are none
   */
  public List<Job> claimable(Collection<String> topics, Collection<JobStep> steps, int limit) {
    String of =
        steps.isEmpty() ? "" : "&steps=" + RestUri.list(steps.stream().map(JobStep::name).toList());
    String query = "jobs?q=claimable&topics=" + RestUri.list(topics) + of + "&count=" + limit;
    return transport.send(Call.get(query, Duration.ZERO)).elements(Job.class);
  }

  /** Sent once: a claim whose answer was lost comes back after its lease, with the next attempt. */
  public ClaimedJob claim(String job, String consumer) {
    return action(jobPath(job) + "?action=claim", Map.of("consumer", consumer), Duration.ZERO)
        .value(ClaimedJob.class);
  }

  /**
   * Extends the lease and returns its new length in seconds, counted from before this call. Sent
   * once: the caller knows how much of the lease is left, and repeats within it.
   */
  public int heartbeat(String job, String claim) {
    return heartbeat(job, claim, Optional.empty());
  }

  /**
   * The same with what a host that is drained still has: it tells a slow drain from one that is
   * stuck.
   */
  public int heartbeat(String job, String claim, Optional<DrainLeft> left) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("claim", claim);
    left.ifPresent(told -> parameters.put("left", told));
    return Math.toIntExact(
        action(jobPath(job) + "?action=heartbeat", parameters, Duration.ZERO).number());
  }

  /**
   * Tells what is known of the host already, for whoever comes after, should this consumer never
   * report an end. The same again changes nothing.
   */
  public void note(String job, String claim, Map<String, String> facts) {
    action(jobPath(job) + "?action=note", Map.of("claim", claim, "facts", facts), retries);
  }

  /** Reports the end of a job. The same claim and result again are answered alike. */
  public void complete(String job, String claim, JobResult result) {
    action(jobPath(job) + "?action=complete", Map.of("claim", claim, "result", result), retries);
  }

  // ----

  private static String jobPath(String job) {
    return "jobs/" + RestUri.atom(job);
  }

  private ServerResponse get(String path) {
    return transport.send(Call.get(path, retries));
  }

  /**
   * A rollout that brings a quarantined host back to service; one that does so already is answered.
   *
   * @param release the one the host is on; empty if the server knows
   */
  public Rollout returnHost(String host, Optional<String> release, String reason) {
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("host", host);
    parameters.put("reason", reason);
    release.ifPresent(name -> parameters.put("release", name));
    return action("hostOperations?action=return", parameters, retries).value(Rollout.class);
  }

  /** Keeps a host from everybody once nobody has it; answers what was done, in one sentence. */
  public String quarantineHost(String host, String reason) {
    return action(
            "hostOperations?action=quarantine", Map.of("host", host, "reason", reason), retries)
        .text();
  }

  /** No budget and no zone waits for the host any more; answers what was done, in one sentence. */
  public String writeOffHost(String host, String reason) {
    return action("hostOperations?action=writeOff", Map.of("host", host, "reason", reason), retries)
        .text();
  }

  /** The host is expected back after all; answers what was done, in one sentence. */
  public String undoWriteOff(String host) {
    return action("hostOperations?action=undoWriteOff", Map.of("host", host), retries).text();
  }

  private ServerResponse action(String path, Map<String, Object> parameters, Duration budget) {
    return transport.send(new Call("POST", path, Json.writeTree(parameters), budget));
  }

  private String create(String path, RecordTemplate entity, Duration budget) {
    return create(new Call("POST", path, Json.write(entity), budget));
  }

  private String create(Call call) {
    ServerResponse serverResponse = transport.send(call);
    return serverResponse
        .id()
        .orElseThrow(
            () ->
                new CallException(
                    serverResponse.status(),
                    CallException.BAD_ANSWER,
                    "the answer to " + call.path() + " names no id",
                    List.of()));
  }

  private <T extends RecordTemplate> List<T> all(String path, Class<T> type) {
    List<T> all = new ArrayList<>();
    new Pages<>(this::get, path, type).forEachRemaining(all::add);
    return all;
  }

  @Override
  public void close() {
    transport.close();
  }
}
