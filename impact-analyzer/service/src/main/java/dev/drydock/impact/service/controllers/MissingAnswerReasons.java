package dev.drydock.impact.service.controllers;

import java.util.Optional;

/** Why a question was not answered in time, to follow the controller's name. */
final class MissingAnswerReasons {
  private MissingAnswerReasons() {}

  static String why(int attempts, Optional<String> refusal) {
    if (refusal.isPresent()) {
      return "answered nothing that counts: " + refusal.get();
    }
    return attempts == 0
        ? "did not answer in time: nobody claimed the question"
        : "did not answer in time: the question was claimed " + attempts + " times";
  }
}
