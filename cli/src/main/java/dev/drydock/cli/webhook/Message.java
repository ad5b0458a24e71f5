package dev.drydock.cli.webhook;

import dev.drydock.api.AlertSilence;
import dev.drydock.api.Notification;
import dev.drydock.api.NotifiedFailure;
import dev.drydock.api.Subscription;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One thing to tell, whatever its shape.
 *
 * @param id the same however often it is sent: what was seen under it before can be dropped
 * @param event a word of NotificationEvent, or Lost
 * @param link where in the console it is seen
 */
public record Message(
    String id,
    String subscription,
    String event,
    String kind,
    Instant at,
    Optional<String> host,
    Optional<String> rollout,
    Optional<String> release,
    List<String> applications,
    String reason,
    Optional<NotifiedFailure> failure,
    Optional<Silence> silence,
    URI link) {

  /** Notifications were forgotten before they could be delivered. */
  public static final String LOST = "Lost";

  public Message {
    applications = List.copyOf(applications);
  }

  /**
   * For which span alerts about the host need nobody.
   *
   * @param until when it ended, or when it is over at the latest
   */
  public record Silence(String host, boolean ended, Instant from, Instant until) {}

  /**
   * Where messages come from and lead to.
   *
   * @param silenceMax how long a host may be silenced if nobody ever says that it is back
   */
  public record Context(String subscription, URI console, Duration silenceMax) {
    Context of(String other) {
      return new Context(other, console, silenceMax);
    }
  }

  /** What the server told. */
  public static Message of(Notification told, Context context) {
    return new Message(
        told.getId(),
        context.subscription(),
        told.getEvent().name(),
        told.getKind(),
        Instant.ofEpochMilli(told.getAt()),
        Optional.ofNullable(told.getHost()),
        Optional.ofNullable(told.getRollout()),
        Optional.ofNullable(told.getRelease()),
        told.getApplications(),
        told.getReason(),
        Optional.ofNullable(told.getFailure()),
        Optional.ofNullable(told.getSilence()).map(span -> silence(span, context)),
        link(context, told.getRollout(), told.getHost()));
  }

  private static Silence silence(AlertSilence span, Context context) {
    Instant from = Instant.ofEpochMilli(span.getBegin());
    Long end = span.getEnd();
    return new Silence(
        span.getHost(),
        end != null,
        from,
        end == null ? from.plus(context.silenceMax()) : Instant.ofEpochMilli(end));
  }

  /** That some of what should have been told never will be. */
  public static Message lost(Subscription of, Context context) {
    Instant from = Instant.ofEpochMilli(Optional.ofNullable(of.getLostFrom()).orElse(0L));
    Instant to = Instant.ofEpochMilli(Optional.ofNullable(of.getLostTo()).orElse(0L));
    return new Message(
        "lost-" + of.getAcknowledged() + "-" + of.getLostUpTo(),
        context.subscription(),
        LOST,
        LOST,
        to,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        "%d events of hosts of team %s from %s to %s were forgotten before they were delivered"
            .formatted(of.getLost(), of.getTeam(), from, to),
        Optional.empty(),
        Optional.empty(),
        context.console());
  }

  private static URI link(Context context, @Nullable String rollout, @Nullable String host) {
    if (rollout == null) {
      return context.console();
    }
    String base = context.console().toString().replaceFirst("/+$", "");
    String page = base + "/rollouts/" + encoded(rollout);
    return URI.create(host == null ? page : page + "?host=" + encoded(host));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** What it is about, in a few words. */
  public String headline() {
    String about =
        host.or(() -> rollout.map(id -> "rollout " + id)).orElse("subscription " + subscription);
    String where = host.isPresent() ? rollout.map(id -> " in rollout " + id).orElse("") : "";
    return about + " " + event + where + release.map(name -> " to release " + name).orElse("");
  }
}
