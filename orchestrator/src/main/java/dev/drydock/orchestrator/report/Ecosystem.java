package dev.drydock.orchestrator.report;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An ecosystem of the OSV schema that is an operating system, such as {@code Debian:12}.
 *
 * @param release its number, such as 12 or 22.04; empty when all releases are meant
 * @param text as it is written
 */
record Ecosystem(PackageFamily family, String release, String text) {
  static final Map<String, PackageFamily> FAMILIES =
      Map.ofEntries(
          Map.entry("Debian", PackageFamily.APT),
          Map.entry("Ubuntu", PackageFamily.APT),
          Map.entry("AlmaLinux", PackageFamily.DNF),
          Map.entry("Azure Linux", PackageFamily.DNF),
          Map.entry("Mageia", PackageFamily.DNF),
          Map.entry("openEuler", PackageFamily.DNF),
          Map.entry("openSUSE", PackageFamily.DNF),
          Map.entry("Photon OS", PackageFamily.DNF),
          Map.entry("Red Hat", PackageFamily.DNF),
          Map.entry("Rocky Linux", PackageFamily.DNF),
          Map.entry("SUSE", PackageFamily.DNF));

  private static final Pattern NUMBER = Pattern.compile("\\d+(\\.\\d+)*");

  static Optional<Ecosystem> of(String text) {
    String[] parts = text.split(":", 2);
    return Optional.ofNullable(FAMILIES.get(parts[0]))
        .map(family -> new Ecosystem(family, parts.length == 1 ? "" : number(parts[1]), text));
  }

  /**
   * Whether what is said of the ecosystem holds for a host: release 9 is also 9.4. A host whose
   * release is not known is covered by every release, so that nothing is called closed too early.
   */
  boolean covers(PackageFamily hosts, Optional<String> hostRelease) {
    String number = hostRelease.map(Ecosystem::number).orElse("");
    return family == hosts
        && (release.isEmpty() || number.isEmpty() || (number + ".").startsWith(release + "."));
  }

  private static String number(String text) {
    Matcher matcher = NUMBER.matcher(text);
    return matcher.find() ? matcher.group() : "";
  }
}
