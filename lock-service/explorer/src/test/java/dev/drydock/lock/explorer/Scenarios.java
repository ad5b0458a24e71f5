package dev.drydock.lock.explorer;

import static dev.drydock.lock.explorer.Scenario.Request.Kind.CANDIDATE;
import static dev.drydock.lock.explorer.Scenario.Request.Kind.TRY;
import static dev.drydock.lock.explorer.Scenario.Request.Kind.WAIT;
import static dev.drydock.lock.explorer.Scenario.lasting;
import static dev.drydock.lock.explorer.Scenario.wants;

import dev.drydock.lock.explorer.Scenario.Fault;
import java.util.List;

/** Three requests for three hosts each, and two things that go wrong. */
final class Scenarios {
  private Scenarios() {}

  /** Clients that repeat, die and leave; several hosts and one. */
  static final Scenario QUEUE =
      Scenario.of(
              "queue", wants("a", WAIT, "h1", "h2"), wants("b", WAIT, "h2"), wants("c", TRY, "h1"))
          .with(Fault.COPY, Fault.DIE, Fault.LEAVE, Fault.SILENCE)
          .upTo(2);

  /** Clients whose lease is that of their lock from the start, among others. */
  static final Scenario TRIES =
      Scenario.of(
              "tries",
              wants("a", TRY, "h1", "h2"),
              wants("b", TRY, "h2", "h3"),
              wants("c", WAIT, "h2"))
          .with(Fault.LOST, Fault.LOST, Fault.COPY, Fault.DIE, Fault.LEAVE)
          .upTo(2);

  /**
   * Grantors that stand still, hear nothing and are replaced, where two of three hosts may be down.
   */
  static final Scenario GRANTORS =
      Scenario.of(
              "grantors",
              wants("a", WAIT, "h1", "h3"),
              wants("b", WAIT, "h2"),
              wants("c", TRY, "h3"))
          .with(Fault.PAUSE, Fault.SILENCE)
          .budget(2, 2)
          .upTo(2);

  /** A rollout's batch between foreign tickets: swept, turned back, proposed again. */
  static final Scenario ROLLOUT =
      Scenario.of(
              "rollout",
              wants("a", CANDIDATE, "h1", "h2"),
              wants("b", WAIT, "h2", "h3"),
              wants("c", WAIT, "h1"))
          .with(Fault.SWEEP, Fault.SILENCE, Fault.CRASH, Fault.PAUSE, Fault.TURN_BACK)
          .upTo(2);

  /** One host of three does not come back. */
  static final Scenario QUARANTINE =
      Scenario.of(
              "quarantine",
              wants("a", CANDIDATE, "h1"),
              wants("b", WAIT, "h1", "h2", "h3"),
              wants("c", WAIT, "h2"))
          .with(Fault.QUARANTINE, Fault.TURN_BACK, Fault.DIE, Fault.SILENCE)
          .upTo(2);

  /** Rules that change while somebody decides by the old ones. */
  static final Scenario RULES =
      Scenario.of(
              "rules", wants("a", WAIT, "h1"), wants("b", CANDIDATE, "h2"), wants("c", TRY, "h3"))
          .with(Fault.POLICY, Fault.FREEZE, Fault.PAUSE)
          .budget(2, 1)
          .upTo(2);

  /** Clocks that pass every deadline while clients renew, leave and die. */
  static final Scenario DEADLINES =
      Scenario.of(
              "deadlines",
              wants("a", WAIT, "h1", "h2"),
              wants("b", WAIT, "h1"),
              wants("c", WAIT, "h2"))
          .with(Fault.TIME, Fault.LEAVE, Fault.DIE)
          .ending(Scenario.NEAR)
          .upTo(2);

  /** Locks whose holders die, where only one host may be down. */
  static final Scenario LAPSE =
      Scenario.of("lapse", wants("a", TRY, "h1"), wants("b", WAIT, "h2"), wants("c", WAIT, "h3"))
          .with(Fault.DIE, Fault.DIE, Fault.COPY)
          .budget(1, 1)
          .upTo(2);

  /** Clients whose leases are revoked while they live, and who act until they hear of it. */
  static final Scenario REVOKED =
      Scenario.of("revoked", lasting("a", 60, "h1", "h2"), wants("b", WAIT, "h2"))
          .with(Fault.REVOKE, Fault.REVOKE, Fault.DIE, Fault.CRASH, Fault.PAUSE)
          .upTo(2);

  /** Somebody is gone before the one that came first could begin. */
  static final Scenario BACKFILL =
      Scenario.of(
              "backfill",
              lasting("a", 100, "h1"),
              wants("b", WAIT, "h1", "h2"),
              lasting("c", 60, "h2"))
          .with(Fault.SILENCE)
          .upTo(1);

  /** Each would be there for too long. */
  static final Scenario TOO_LONG =
      Scenario.of(
              "too long",
              lasting("a", 100, "h1"),
              wants("b", WAIT, "h1", "h2"),
              lasting("c", 90, "h2"))
          .with(Fault.SILENCE)
          .upTo(1);

  /** A batch among those who declare how long they are there. */
  static final Scenario BATCH =
      Scenario.of(
              "batch",
              lasting("a", 100, "h1"),
              wants("b", WAIT, "h1", "h2"),
              wants("c", CANDIDATE, "h2"))
          .with(Fault.TURN_BACK)
          .upTo(1);

  static final List<Scenario> ALL =
      List.of(
          QUEUE,
          TRIES,
          GRANTORS,
          ROLLOUT,
          QUARANTINE,
          RULES,
          DEADLINES,
          LAPSE,
          REVOKED,
          BACKFILL,
          TOO_LONG,
          BATCH);
}
