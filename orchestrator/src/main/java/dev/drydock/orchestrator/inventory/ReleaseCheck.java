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
  private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.-]{0,127}");
  private static final Pattern VERSION = Pattern.compile("[0-9][A-Za-z0-9.+:~-]{0,127}");
  private static final Pattern KERNEL = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.+_~-]{0,127}");
  private static final Pattern CHANNEL = Pattern.compile("[A-Za-z0-9:/._~%+-]{1,1000}");

  private ReleaseCheck() {}

  static List<ErrorDetail> faults(Release release) {
    List<ErrorDetail> faults = new ArrayList<>();
    if (!Names.isName(release.getName())) {
      faults.add(
          ApiException.detail(
              "name", "must be letters, digits, '.', '_' or '-', such as 2 or 2026.06"));
    }
    if (!isChannel(release.getChannel())) {
      faults.add(
          ApiException.detail(
              "channel", "must be the http or https URL of an apt channel, without blanks"));
    }
    if (!KERNEL.matcher(release.getKernel()).matches()) {
      faults.add(
          ApiException.detail(
              "kernel", "must be a kernel release as uname -r prints it, such as 6.2.0-1"));
    }
    Map<String, String> packages = release.getPackages();
    if (packages.isEmpty()) {
      faults.add(ApiException.detail("packages", "must name at least one package and its version"));
    }
    packages.forEach(
        (name, version) -> {
          String path = "packages." + name.replace('\0', '?');
          if (!PACKAGE.matcher(name).matches()) {
            faults.add(ApiException.detail(path, "is no Debian package name"));
          }
          if (!VERSION.matcher(version).matches()) {
            faults.add(ApiException.detail(path, "needs a Debian package version, such as 2.0-1"));
          }
        });
    return faults;
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
