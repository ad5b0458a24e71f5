package dev.drydock.lock.explorer;

import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.txn.Key;
import java.util.List;

/**
 * A bug, where it shows and what it breaks.
 *
 * @param name the scenario of the protocol that it lets happen
 * @param rule how the complaint begins
 * @param policyBumps whether a change of policy bumps the generation before it is answered
 */
record Seeded(String name, String rule, Scenario scenario, Parts parts, boolean policyBumps) {

  static final List<Seeded> ALL =
      List.of(
          bug(
              "a paused predecessor commits late",
              "I1",
              Scenarios.GRANTORS,
              Bug.without(compare -> compare.key() instanceof Key.Leader)),
          new Seeded(
              "a deposed grantor acknowledges a change of policy",
              "POLICY",
              Scenarios.RULES,
              Parts.REAL,
              false),
          bug(
              "the brake does not reach what is decided already",
              "BRAKE",
              Scenarios.RULES,
              Bug.withoutPut("freeze", Key.Generation.class::isInstance)),
          bug(
              "one quarantined host jams the fleet",
              "SERVED",
              Scenarios.QUARANTINE,
              Bug.seeing(Bug::quarantineIsAHold)),
          bug(
              "the lease deletes the only mark",
              "I1",
              Scenarios.LAPSE,
              Bug.leased(lock -> lock.id().equals("a"), Leases.own(0))),
          bug(
              "a restart longer than the lease hands over a host in mid-upgrade",
              "I2",
              Scenarios.ROLLOUT,
              Bug.leased(lock -> lock.kind() == Kind.BATCH, Leases.ORCHESTRATOR)),
          bug(
              "the grantor pauses, the sweeper undoes, the grantor commits",
              "XOR",
              Scenarios.ROLLOUT,
              Bug.without("grant", compare -> compare.key() instanceof Key.Grant)),
          bug("a lost ticket takes its group along", "ALONE", Scenarios.QUEUE, Bug.oneForAll()),
          bug("backfill without a bound", "I3", Scenarios.TOO_LONG, Bug.withoutBound()),
          bug("a batch backfills", "I3", Scenarios.BATCH, Bug.batchesPass()),
          bug("nothing counts for how long", "I3", Scenarios.BACKFILL, Bug.withoutClocks()),
          bug("a try passes a waiter", "I3", Scenarios.QUEUE, Bug.triesPass()),
          bug("a clock takes a place", "PLACE", Scenarios.DEADLINES, Bug.deadlinesCount()),
          bug(
              "an enqueue that is repeated enters twice",
              "ONCE",
              Scenarios.QUEUE,
              Bug.without(
                  "take ticket",
                  compare ->
                      compare.key() instanceof Key.Alive || compare.key() instanceof Key.Verdict)),
          bug(
              "an enqueue arrives after the lock has lapsed",
              "ONCE",
              Scenarios.QUEUE,
              Bug.both(
                  Bug.withoutPut("count lease", Key.Verdict.class::isInstance),
                  Bug.without("take ticket", compare -> compare.key() instanceof Key.Session))),
          bug(
              "a release that is repeated says of its hosts what was before the next one's end",
              "ENDED",
              Scenarios.QUEUE,
              Bug.without("release", compare -> compare.key() instanceof Key.Session)),
          bug(
              "a grantor decides by what was there before its last answer",
              "I2",
              Scenarios.QUEUE,
              Bug.seeing(Bug::beforeTheLastGrant)),
          bug(
              "a grant that nobody heard of comes after the next one",
              "I2",
              Scenarios.ROLLOUT,
              Bug.without(compare -> compare.key() instanceof Key.Generation)),
          bug(
              "who does not know what became of a grant decides on",
              "I2",
              Scenarios.ROLLOUT,
              Bug.withoutPut("bump generation", Key.Generation.class::isInstance)),
          bug(
              "a ticket that left is granted",
              "ONCE",
              Scenarios.QUEUE,
              Bug.without(
                  "grant",
                  compare ->
                      compare.key() instanceof Key.Ticket || compare.key() instanceof Key.Alive)),
          bug(
              "a living client's lock is taken for lapsed",
              "I2",
              Scenarios.LAPSE,
              Bug.seeingAtOnce(Bug::nobodyLives)),
          bug(
              "a lock lapses while its client believes in it",
              "I2",
              Scenarios.REVOKED,
              Bug.withoutDelay()));

  private static Seeded bug(String name, String rule, Scenario scenario, Parts parts) {
    return new Seeded(name, rule, scenario, parts, true);
  }

  @Override
  public String toString() {
    return name;
  }
}
