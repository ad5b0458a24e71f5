package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import picocli.CommandLine.Option;

/** Hosts by their labels, which the server looks up. */
final class Selector {
  @Option(
      names = "--selector",
      paramLabel = "LABELS",
      defaultValue = "",
      description =
          "Instead of --hosts: those with such labels now, such as 'rack=r1,os-family in (apt,"
              + " dnf),!spare'. Hosts that are labelled so later do not join.")
  private String text = "";

  /** Empty where hosts are named. */
  String text() {
    return text.strip();
  }

  /** Where the user wrote what the server complains about. */
  static String place(ErrorDetail detail) {
    return switch (detail.getPath()) {
      case "selector", "release", "reason" -> "--" + detail.getPath();
      case "requestId" -> "--request-id";
      default -> detail.getPath();
    };
  }
}
