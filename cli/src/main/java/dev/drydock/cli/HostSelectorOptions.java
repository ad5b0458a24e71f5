package dev.drydock.cli;

import picocli.CommandLine.Option;

/** Hosts by their labels, which the server looks up. */
final class HostSelectorOptions {
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
}
