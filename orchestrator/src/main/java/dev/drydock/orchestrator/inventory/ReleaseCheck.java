package dev.drydock.orchestrator.inventory;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.Release;
import dev.drydock.platform.http.ApiException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Finds everything wrong with a release. Strict, because its words end up in package sources and
 * command lines of hosts.
 */
final class ReleaseCheck {
  private static final Pattern KERNEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.+_~-]{0,127}");
  private static final Pattern IMAGE_VERSION =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+~-]{0,127}");
  private static final List<String> FAMILIES = List.of("apt", "dnf");
  private static final Pattern CHANNEL = Pattern.compile("[A-Za-z0-9:/._~%+-]{1,1000}");

  /** How a package family names its packages and writes their versions. */
  private enum Words {
    APT(
        "Debian package",
        "2.0-1",
        Pattern.compile("[a-z0-9][a-z0-9+.-]{0,127}"),
        Pattern.compile("[0-9][A-Za-z0-9.+:~-]{0,127}")),
    DNF(
        "rpm",
        "2.0-1.el9, with its release number",
        Pattern.compile("[A-Za-z0-9][A-Za-z0-9+._-]{0,127}"),
        Pattern.compile(
            "([0-9]{1,9}:)?[A-Za-z0-9][A-Za-z0-9.+_~^]{0,127}-[A-Za-z0-9.+_~^]{1,127}"));

    private final String kind;
    private final String example;
    private final Pattern name;
    private final Pattern version;

    Words(String kind, String example, Pattern name, Pattern version) {
      this.kind = kind;
      this.example = example;
      this.name = name;
      this.version = version;
    }
  }

  private final List<ErrorDetail> faults = new ArrayList<>();

  private ReleaseCheck() {}

  static List<ErrorDetail> faults(Release release) {
    ReleaseCheck check = new ReleaseCheck();
    if (!NameRules.isName(release.getName())) {
      check.fault("name", "must be letters, digits, '.', '_' or '-', such as 2 or 2026.06");
    }
    check.apt(release);
    check.dnf(release);
    check.images(release);
    HealthSpecCheck.check(release.getHealth(), check::fault);
    return check.faults;
  }

  private void apt(Release release) {
    boolean forDnfAlone = release.getChannel().isEmpty() && release.hasDnfChannel();
    if (!forDnfAlone && !isChannel(release.getChannel())) {
      fault(
          "channel",
          "must be the http or https URL of an apt channel, without blanks; it may be empty only"
              + " beside a dnfChannel");
    }
    kernel("kernel", release.getKernel());
    packages("packages", release.getPackages(), Words.APT, !forDnfAlone);
  }

  private void dnf(Release release) {
    String channel = release.getDnfChannel();
    String kernel = release.getDnfKernel();
    if (channel != null && !isChannel(channel)) {
      fault("dnfChannel", "must be the http or https URL of a dnf repository, without blanks");
    }
    if (kernel != null) {
      kernel("dnfKernel", kernel);
      if (channel == null) {
        fault("dnfKernel", "is of no use without a dnfChannel");
      }
    }
    packages("dnfPackages", release.getDnfPackages(), Words.DNF, channel != null);
  }

  private void images(Release release) {
    release
        .getImages()
        .forEach(
            (family, image) -> {
              String at = "images." + family.replace('\0', '?');
              if (!FAMILIES.contains(family)) {
                fault(at, "is of no package family; families are " + FAMILIES);
              }
              if (!isChannel(image)) {
                fault(at, "must be the http or https URL of an installer medium, without blanks");
              }
            });
    String version = release.getImageVersion();
    if (version == null
        ? !release.getImages().isEmpty()
        : !IMAGE_VERSION.matcher(version).matches()) {
      fault("imageVersion", "must be what hosts installed from the images tell, such as 2.0");
    }
    if (version != null && release.getImages().isEmpty()) {
      fault("imageVersion", "is of no use without images");
    }
  }

  private void kernel(String path, String kernel) {
    if (!KERNEL.matcher(kernel).matches()) {
      fault(path, "must be a kernel release as uname -r prints it, such as 6.2.0-1");
    }
  }

  private void packages(
      String path, Map<String, String> packages, Words words, boolean hasChannel) {
    if (packages.isEmpty() && hasChannel) {
      fault(path, "must name at least one package and its version");
    }
    if (!packages.isEmpty() && !hasChannel) {
      fault(path, "are of no use without their channel");
    }
    packages.forEach(
        (name, version) -> {
          String at = path + "." + name.replace('\0', '?');
          if (!words.name.matcher(name).matches()) {
            fault(at, "is no " + words.kind + " name");
          }
          if (!words.version.matcher(version).matches()) {
            fault(at, "needs a " + words.kind + " version, such as " + words.example);
          }
        });
  }

  private void fault(String path, String message) {
    faults.add(ApiException.detail(path, message));
  }

  private static boolean isChannel(String channel) {
    if (!CHANNEL.matcher(channel).matches()) {
      return false;
    }
    try {
      URI uri = new URI(channel);
      return uri.getHost() != null && List.of("http", "https").contains(uri.getScheme());
    } catch (URISyntaxException noUri) {
      return false;
    }
  }
}
