package dev.drydock.impact.service.controllers;

import dev.drydock.api.EventKind;
import dev.drydock.impact.core.ControllerInquiry;
import dev.drydock.impact.core.ControllerQuestion;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.impact.core.FleetRound.Questions;
import dev.drydock.platform.events.NewEvent;
import dev.drydock.platform.rounds.DutyLoop;
import dev.drydock.platform.store.WakeupChannel;
import dev.drydock.proto.Json;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts questions to controllers beside the grantor, which never waits for them: a round of the
 * grantor says what it wants to know, and a later one finds what was answered. The rows are the
 * truth, so a successor goes on where this process died.
 *
 * <p>Property: at most one question of a topic is open; the database sees to it.
 */
public final class ControllerDispatcher implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ControllerDispatcher.class);
  private static final Duration ROUND = Duration.ofMillis(100);

  private final Jdbi jdbi;
  private final DutyLoop dutyLoop = new DutyLoop("controllers");
  private volatile RequiredQuestions newest = new RequiredQuestions(Map.of());

  public ControllerDispatcher(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A round of the grantor begins; what an earlier one wanted is not wanted any more.
   *
   * @param asked what it knows to have been asked, by topic
   */
  public Questions begin(Map<String, List<ControllerInquiry>> asked) {
    RequiredQuestions requiredQuestions = new RequiredQuestions(asked);
    newest = requiredQuestions;
    return requiredQuestions;
  }

  /** Begins to ask; for the server that grants. */
  public void start() {
    dutyLoop.every(ROUND, "ask controllers", this::round);
  }

  /** What of it is lost with a round that fails, the grantor says again. */
  private void round() {
    jdbi.useTransaction(ControllerDispatcher::expire);
    newest.take().forEach(this::ask);
  }

  private void ask(String topic, List<ControllerQuestion> questions) {
    boolean asked = jdbi.inTransaction(handle -> insert(handle, topic, questions));
    if (asked) {
      log.debug("asked {} about {} groups", topic, questions.size());
    }
  }

  /** Questions whose time is over; the grantor is told. */
  private static void expire(Handle handle) {
    List<Map<String, Object>> over =
        handle
            .createQuery(
                """
                UPDATE approvals
                SET state = 'Expired', ended_at = clock_timestamp(), lease_until = NULL,
                    retry_at = clock_timestamp() + interval '5 seconds'
                WHERE state IN ('Pending', 'Claimed') AND deadline <= clock_timestamp()
                RETURNING id, topic, round, attempt, refusal
                """)
            .<Map<String, Object>>map(
                (row, _) ->
                    Map.of(
                        "job", row.getString("id"),
                        "topic", row.getString("topic"),
                        "round", row.getLong("round"),
                        "reason",
                            MissingAnswerReasons.why(
                                row.getInt("attempt"),
                                Optional.ofNullable(row.getString("refusal")))))
            .list();
    for (Map<String, Object> one : over) {
      new NewEvent(EventKind.ApprovalMissed, Optional.empty(), Optional.empty(), one)
          .append(handle);
      WakeupChannel.notify(handle, WakeupChannel.GRANTOR);
    }
  }

  /** Asks nothing while a question of the topic is open. */
  private static boolean insert(Handle handle, String topic, List<ControllerQuestion> questions) {
    Optional<Map<String, Object>> asked =
        handle
            .createQuery(
                """
                INSERT INTO approvals (id, topic, round, state, spec, deadline)
                SELECT 'ask.Approve.' || :topic || '.' || n.round, :topic, n.round, 'Pending',
                       CAST(:spec AS jsonb) || jsonb_build_object(
                         'id', 'ask.Approve.' || :topic || '.' || n.round, 'round', n.round,
                         'createdAt', CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)),
                       clock_timestamp() + make_interval(secs => :timeout)
                FROM (SELECT COALESCE(max(round), 0) + 1 AS round FROM approvals
                      WHERE topic = :topic) n
                ON CONFLICT DO NOTHING RETURNING id, round
                """)
            .bind("topic", topic)
            .bind("spec", Json.writeTree(spec(topic, questions)))
            .bind("timeout", timeoutSeconds(questions))
            .<Map<String, Object>>map(
                (row, _) ->
                    Map.of(
                        "job", row.getString("id"),
                        "topic", topic,
                        "round", row.getLong("round")))
            .findOne();
    asked.ifPresent(
        job -> {
          new NewEvent(EventKind.ApprovalAsked, Optional.empty(), Optional.empty(), job)
              .append(handle);
          forget(handle);
        });
    return asked.isPresent();
  }

  /** Answers are kept for a while for those who look; grants keep what they rest on themselves. */
  private static void forget(Handle handle) {
    handle.execute(
        """
        DELETE FROM approvals WHERE id IN (
          SELECT a.id FROM approvals a
          WHERE a.ended_at < clock_timestamp() - interval '7 days'
            AND a.round < (SELECT max(round) FROM approvals b WHERE b.topic = a.topic)
          LIMIT 100 FOR UPDATE SKIP LOCKED)
        """);
  }

  /** The shortest: a team that gave its controller more time for another policy loses nothing. */
  private static long timeoutSeconds(List<ControllerQuestion> questions) {
    return questions.stream()
        .mapToLong(controllerQuestion -> controllerQuestion.controller().timeout().toSeconds())
        .min()
        .orElseThrow();
  }

  private static Map<String, Object> spec(String topic, List<ControllerQuestion> questions) {
    Map<String, FleetInstance> down = new TreeMap<>();
    questions.forEach(
        controllerQuestion ->
            controllerQuestion
                .presumedDown()
                .forEach(instance -> down.put(instance.id(), instance)));
    return Map.ofEntries(
        Map.entry("grant", ""),
        Map.entry("rollout", ""),
        Map.entry("host", ""),
        Map.entry("address", ""),
        Map.entry("step", "Approve"),
        Map.entry("topic", topic),
        Map.entry("deadlineSeconds", timeoutSeconds(questions)),
        Map.entry(
            "ask",
            Map.of(
                "groups", questions.stream().map(ControllerDispatcher::group).toList(),
                "presumedDown", targets(down.values()))));
  }

  private static Map<String, Object> group(ControllerQuestion controllerQuestion) {
    return Map.of(
        "hosts",
            controllerQuestion.group().stream()
                .map(FleetInstance::host)
                .distinct()
                .sorted()
                .toList(),
        "instances", targets(controllerQuestion.group()),
        "begun", controllerQuestion.begun());
  }

  private static List<Map<String, Object>> targets(Collection<FleetInstance> instances) {
    return instances.stream()
        .<Map<String, Object>>map(
            instance ->
                Map.of(
                    "id", instance.id(),
                    "application", instance.application(),
                    "zone", instance.zone()))
        .toList();
  }

  @Override
  public void close() {
    dutyLoop.close();
  }
}
