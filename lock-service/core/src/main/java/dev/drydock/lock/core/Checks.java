package dev.drydock.lock.core;

import dev.drydock.lock.core.Candidates.Check;
import dev.drydock.lock.core.LockRecord.Kind;
import dev.drydock.lock.core.LockRecord.Stage;
import java.util.ArrayList;
import java.util.List;

/** Judges the checks of a granted batch (protocol P7). */
final class Checks {
  private Checks() {}

  /**
   * Judges over all locks but those of the hosts checked, so that these count as taken once and not
   * as down already.
   */
  static GrantorDecision.JudgeCheck judge(Check check, HostQueue hostQueue, Admission.Round round) {
    List<LockRecord> hold = new ArrayList<>();
    for (String host : check.hosts()) {
      LockRecord record = hostQueue.on(host).orElse(null);
      if (record == null || !record.id().equals(check.grantId()) || record.kind() != Kind.BATCH) {
        return no(
            check, Verdict.Decision.REFUSE, check.grantId() + " has no batch hold on " + host);
      }
      if (check.kind() == Check.Kind.OPEN && record.stage() == Stage.PROVISIONAL) {
        return no(
            check, Verdict.Decision.WAIT, "the hold on " + host + " was not confirmed before");
      }
      hold.add(record);
    }
    if (hold.isEmpty()) {
      return no(
          check, Verdict.Decision.REFUSE, "the check of " + check.grantId() + " names no host");
    }
    List<LockRecord> others =
        hostQueue.held().stream().filter(record -> !check.hosts().contains(record.host())).toList();
    Verdict verdict = round.judge(check.hosts(), hold.getFirst().applications(), others);
    if (!verdict.granted()) {
      return new GrantorDecision.JudgeCheck(check, verdict, List.of());
    }
    return new GrantorDecision.JudgeCheck(
        check, verdict, hold.stream().map(record -> reaches(check.kind(), record)).toList());
  }

  /** While the brake is on no batch goes a step further: it is turned back and waits. */
  static GrantorDecision.JudgeCheck held(Check check, Brake brake) {
    return no(check, Verdict.Decision.WAIT, brake.text());
  }

  private static GrantorDecision.JudgeCheck no(
      Check check, Verdict.Decision decision, String reason) {
    return new GrantorDecision.JudgeCheck(
        check, new Verdict(decision, reason, List.of()), List.of());
  }

  private static LockRecord reaches(Check.Kind kind, LockRecord record) {
    Stage target =
        switch (kind) {
          case CONFIRM -> Stage.CONFIRMED;
          case OPEN -> Stage.OPEN;
        };
    // A second confirm of an open hold takes nothing back.
    return record.stage().compareTo(target) >= 0 ? record : record.withStage(target);
  }
}
