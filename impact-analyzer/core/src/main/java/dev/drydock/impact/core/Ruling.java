package dev.drydock.impact.core;

import dev.drydock.lock.core.Verdict.Decision;
import dev.drydock.lock.core.Verdict.Finding;

/** One finding together with what it means for the request. */
record Ruling(Decision decision, Finding finding) {

  /** A blocker that is no matter of numbers. */
  static Ruling withoutNumbers(String application, Decision decision, String detail) {
    String rule = application.isEmpty() ? "fleet view" : "policy";
    return new Ruling(decision, new Finding(application, rule, 0, 0, 0, 0, false, detail));
  }
}
