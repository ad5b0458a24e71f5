package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;

/** Where a person wrote what the server complains about. */
final class FaultLocations {
  private FaultLocations() {}

  /** The option that says a field of a submission; where there is none, the field. */
  static String option(ErrorDetail detail) {
    return switch (detail.getPath()) {
      case "selector", "release", "reason" -> "--" + detail.getPath();
      case "requestId" -> "--request-id";
      default -> detail.getPath();
    };
  }
}
