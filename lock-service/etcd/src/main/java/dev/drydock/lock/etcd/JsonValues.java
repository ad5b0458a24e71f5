package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.drydock.lock.core.BackfillClock;
import dev.drydock.lock.core.Brake;
import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.Seniority;
import dev.drydock.lock.core.Ticket;
import dev.drydock.lock.core.TicketNote;
import dev.drydock.lock.core.txn.GenerationCause;
import dev.drydock.lock.core.txn.GrantMark;
import io.etcd.jetcd.ByteSequence;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Records as JSON values. What the key or the revision says is not repeated in the value, and what
 * says nothing is left out: every grant writes, logs and sends them several times.
 */
final class JsonValues {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int START = 80;

  private JsonValues() {}

  static ByteSequence of(LockRecord lock) {
    return bytes(node(lock));
  }

  static ObjectNode node(LockRecord lock) {
    ObjectNode node = JSON.createObjectNode();
    node.put("id", lock.id());
    node.put("kind", lock.kind().name());
    if (lock.stage() != LockRecord.Stage.OPEN) {
      node.put("stage", lock.stage().name());
    }
    put(node, "hosts", lock.hosts());
    putUnlessEmpty(node, "applications", lock.applications());
    node.put("holder", lock.holder());
    node.put("reason", lock.reason());
    lock.rollout().ifPresent(rollout -> node.put("rollout", rollout));
    putUnlessZero(node, "epoch", lock.epoch());
    putUnlessZero(node, "beat", lock.beat());
    if (lock.maxSeconds() > 0) {
      node.put("maxSeconds", lock.maxSeconds());
    }
    lock.grantedAt().ifPresent(at -> node.put("grantedAt", at.toString()));
    if (lock.advisory()) {
      node.put("advisory", true);
    }
    putUnlessZero(node, "leaseSeconds", lock.leaseSeconds());
    return node;
  }

  /** The lock on {@code host}; its token is the revision that created the key. */
  static LockRecord lock(String host, ByteSequence value, long createRevision) {
    return lock(host, read(value), createRevision);
  }

  static LockRecord lock(String host, JsonNode node, long createRevision) {
    if (!texts(node, "hosts").contains(host)) {
      throw new IllegalStateException("not a lock on " + host + ": " + start(node.toString()));
    }
    return new LockRecord(
        text(node, "id"),
        LockRecord.Kind.valueOf(text(node, "kind")),
        LockRecord.Stage.valueOf(node.path("stage").asText(LockRecord.Stage.OPEN.name())),
        host,
        texts(node, "hosts"),
        texts(node, "applications"),
        text(node, "holder"),
        text(node, "reason"),
        optional(node, "rollout"),
        node.path("epoch").asLong(),
        node.path("beat").asLong(),
        createRevision,
        node.path("maxSeconds").asInt(),
        optional(node, "grantedAt").map(Instant::parse),
        node.path("advisory").asBoolean(),
        node.path("leaseSeconds").asInt());
  }

  static ByteSequence of(Ticket ticket) {
    ObjectNode node = JSON.createObjectNode();
    node.put("id", ticket.id());
    node.put("mode", ticket.mode().name());
    put(node, "hosts", ticket.hosts());
    putUnlessEmpty(node, "applications", ticket.applications());
    node.put("holder", ticket.holder());
    node.put("reason", ticket.reason());
    node.put("pollDeadline", ticket.pollDeadline().toString());
    node.put("waitSeconds", ticket.waitSeconds());
    node.put("leaseSeconds", ticket.leaseSeconds());
    ticket.rollout().ifPresent(rollout -> node.put("rollout", rollout));
    ticket
        .brought()
        .ifPresent(
            age ->
                node.putObject("seniority")
                    .put("revision", age.revision())
                    .put("index", age.index()));
    if (ticket.maxSeconds() > 0) {
      node.put("maxSeconds", ticket.maxSeconds());
    }
    if (ticket.advisory()) {
      node.put("advisory", true);
    }
    ticket.askingUntil().ifPresent(until -> node.put("askingUntil", until.toString()));
    return bytes(node);
  }

  static Ticket ticket(String id, int index, ByteSequence value, long createRevision) {
    JsonNode node = read(value);
    if (!text(node, "id").equals(id) || node.path("hosts").isEmpty()) {
      throw new IllegalStateException(
          "not a ticket " + id + " for any host: " + start(node.toString()));
    }
    return new Ticket(
        id,
        Ticket.Mode.valueOf(text(node, "mode")),
        texts(node, "hosts"),
        texts(node, "applications"),
        text(node, "holder"),
        text(node, "reason"),
        Instant.parse(text(node, "pollDeadline")),
        node.path("waitSeconds").asInt(),
        node.path("leaseSeconds").asInt(),
        optional(node, "rollout"),
        createRevision,
        index,
        Optional.ofNullable(node.get("seniority"))
            .map(age -> new Seniority(age.path("revision").asLong(), age.path("index").asInt())),
        node.path("maxSeconds").asInt(),
        node.path("advisory").asBoolean(),
        optional(node, "askingUntil").map(Instant::parse));
  }

  static ByteSequence of(EndedLock endedLock) {
    return bytes(node(endedLock));
  }

  static ObjectNode node(EndedLock endedLock) {
    ObjectNode node = JSON.createObjectNode();
    node.put("lockId", endedLock.lockId());
    putUnlessZero(node, "token", endedLock.token());
    node.put("mark", endedLock.mark());
    node.put("by", endedLock.by());
    node.put("reason", endedLock.reason());
    return node;
  }

  static EndedLock ended(String host, ByteSequence value) {
    return ended(host, read(value));
  }

  static EndedLock ended(String host, JsonNode node) {
    return new EndedLock(
        host,
        text(node, "lockId"),
        node.path("token").asLong(),
        node.path("mark").asLong(),
        text(node, "by"),
        text(node, "reason"));
  }

  static ByteSequence of(TicketNote ticketNote) {
    ObjectNode node = JSON.createObjectNode();
    node.put("state", ticketNote.state().name());
    node.put("reason", ticketNote.reason());
    node.put("holder", ticketNote.holder());
    put(node, "hosts", ticketNote.hosts());
    node.put("kind", ticketNote.kind().name());
    return bytes(node);
  }

  static TicketNote note(ByteSequence value) {
    JsonNode node = read(value);
    return new TicketNote(
        TicketNote.State.valueOf(text(node, "state")),
        text(node, "reason"),
        text(node, "holder"),
        texts(node, "hosts"),
        LockRecord.Kind.valueOf(text(node, "kind")));
  }

  static ByteSequence of(GrantMark grant) {
    ObjectNode node = JSON.createObjectNode();
    node.put("state", grant.committed() ? "committed" : "void");
    put(node, "hosts", grant.hosts());
    node.put("epoch", grant.epoch());
    node.put("beat", grant.beat());
    node.put("reason", grant.reason());
    return bytes(node);
  }

  static GrantMark grant(ByteSequence value) {
    JsonNode node = read(value);
    return new GrantMark(
        text(node, "state").equals("committed"),
        texts(node, "hosts"),
        node.path("epoch").asLong(),
        node.path("beat").asLong(),
        text(node, "reason"));
  }

  static ByteSequence of(BackfillClock backfillClock) {
    ObjectNode node = JSON.createObjectNode();
    node.put("spentMillis", backfillClock.spent().toMillis());
    backfillClock.since().ifPresent(since -> node.put("since", since.toString()));
    return bytes(node);
  }

  static BackfillClock passed(ByteSequence value) {
    JsonNode node = read(value);
    return new BackfillClock(
        Duration.ofMillis(node.path("spentMillis").asLong()),
        optional(node, "since").map(Instant::parse));
  }

  static ByteSequence of(Brake brake) {
    ObjectNode node = JSON.createObjectNode();
    node.put("by", brake.by());
    node.put("reason", brake.reason());
    node.put("since", brake.since().toString());
    return bytes(node);
  }

  static Brake brake(ByteSequence value) {
    JsonNode node = read(value);
    return new Brake(text(node, "by"), text(node, "reason"), Instant.parse(text(node, "since")));
  }

  static ByteSequence of(GenerationCause generationCause) {
    return bytes(
        JSON.createObjectNode()
            .put("cause", generationCause.what())
            .put("by", generationCause.by())
            .put("reason", generationCause.reason()));
  }

  /** Earlier values were any text. */
  static GenerationCause cause(ByteSequence value) {
    try {
      JsonNode node = JSON.readTree(value.toString(UTF_8));
      return new GenerationCause(
          node.path("cause").asText(), node.path("by").asText(), node.path("reason").asText());
    } catch (JsonProcessingException text) {
      return new GenerationCause(value.toString(UTF_8), "", "");
    }
  }

  static JsonNode read(ByteSequence value) {
    try {
      return JSON.readTree(value.getBytes());
    } catch (IOException unreadable) {
      throw new IllegalStateException(
          "not written by Drydock: " + start(value.toString(UTF_8)), unreadable);
    }
  }

  /** Enough to recognise it by. */
  static String start(String text) {
    return text.length() > START ? text.substring(0, START) + "…" : text;
  }

  static ByteSequence bytes(ObjectNode node) {
    try {
      return ByteSequence.from(JSON.writeValueAsBytes(node));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static void put(ObjectNode node, String field, List<String> texts) {
    ArrayNode array = node.putArray(field);
    texts.forEach(array::add);
  }

  private static void putUnlessEmpty(ObjectNode node, String field, List<String> texts) {
    if (!texts.isEmpty()) {
      put(node, field, texts);
    }
  }

  private static void putUnlessZero(ObjectNode node, String field, long number) {
    if (number != 0) {
      node.put(field, number);
    }
  }

  private static String text(JsonNode node, String field) {
    JsonNode found = node.path(field);
    if (!found.isTextual()) {
      throw new IllegalStateException("it lacks '" + field + "': " + start(node.toString()));
    }
    return found.asText();
  }

  private static Optional<String> optional(JsonNode node, String field) {
    return Optional.ofNullable(node.get(field)).map(JsonNode::asText);
  }

  static List<String> texts(JsonNode node, String field) {
    List<String> texts = new ArrayList<>();
    node.path(field).forEach(item -> texts.add(item.asText()));
    return texts;
  }
}
