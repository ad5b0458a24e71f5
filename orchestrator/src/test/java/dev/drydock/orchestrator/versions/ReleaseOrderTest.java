package dev.drydock.orchestrator.versions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.Release;
import dev.drydock.proto.Json;
import org.junit.jupiter.api.Test;

/** Which release is the older one is what versions tell, in the order of each family. */
class ReleaseOrderTest {
  private static Release release(String packages, String kernel) {
    return Json.read(
        """
        {"name": "x", "channel": "http://x", "packages": %1$s, "kernel": "%2$s",
         "dnfChannel": "http://y", "dnfPackages": %1$s}
        """
            .formatted(packages.replace('\'', '"'), kernel),
        Release.class);
  }

  private static String older(String wanted, String has, String family) {
    return ReleaseOrder.older(release(wanted, "6"), release(has, "6"), family).orElse("no");
  }

  @Test
  void aReleaseIsOlderIfAPackageGoesBackAndNoneGoesOn() {
    assertThat(older("{'a': '1.9', 'b': '2'}", "{'a': '1.10', 'b': '2'}", "apt"))
        .isEqualTo("a would go from 1.10 back to 1.9");
    assertThat(older("{'a': '1.10'}", "{'a': '1.9'}", "apt")).isEqualTo("no");
    assertThat(older("{'a': '1'}", "{'a': '1'}", "apt")).isEqualTo("no");
  }

  @Test
  void whatGoesBothWaysOrHasNothingInCommonIsNotOlder() {
    assertThat(older("{'a': '1', 'b': '3'}", "{'a': '2', 'b': '2'}", "apt")).isEqualTo("no");
    assertThat(older("{'a': '1'}", "{'b': '2'}", "apt")).isEqualTo("no");
    assertThat(older("{}", "{'b': '2'}", "apt")).isEqualTo("no");
  }

  /** Debian sorts a tilde before the end, rpm too, and a caret differs. */
  @Test
  void eachFamilyHasItsOwnOrder() {
    assertThat(older("{'a': '1:1-1'}", "{'a': '2-1'}", "dnf")).isEqualTo("no");
    assertThat(older("{'a': '1.0a'}", "{'a': '1.0.1'}", "apt"))
        .isEqualTo("a would go from 1.0.1 back to 1.0a");
    assertThat(older("{'a': '1.0~rc1-1'}", "{'a': '1.0-1'}", "dnf"))
        .isEqualTo("a would go from 1.0-1 back to 1.0~rc1-1");
  }

  @Test
  void theKernelDecidesWherePackagesAreTheSame() {
    assertThat(
            ReleaseOrder.older(release("{'a': '1'}", "6.1"), release("{'a': '1'}", "6.8"), "apt"))
        .contains("kernel would go from 6.8 back to 6.1");
    assertThat(
            ReleaseOrder.older(release("{'a': '1'}", "6.1"), release("{'b': '1'}", "6.8"), "apt"))
        .isEmpty();
  }
}
