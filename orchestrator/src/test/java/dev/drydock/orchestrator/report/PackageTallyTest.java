package dev.drydock.orchestrator.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.api.VersionChange;
import dev.drydock.orchestrator.report.ReportContents.PackageLine;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PackageTallyTest {
  @Test
  void listsWhatChangedOrAll() {
    assertThat(tally(false, 99).lines()).extracting(PackageLine::name).containsExactly("a", "c");
    assertThat(tally(true, 99).lines())
        .extracting(PackageLine::name)
        .containsExactly("a", "b", "c");
    assertThat(tally(false, 99).totals()).isEqualTo(tally(true, 99).totals());
  }

  @Test
  void countsWhatItDoesNotListForWantOfRoom() {
    PackageTally tally = tally(true, 3);
    assertThat(tally.lines()).extracting(PackageLine::name).containsExactly("a", "b");
    assertThat(tally.leftOut()).isOne();
    assertThat(tally.totals())
        .isEqualTo(Map.of(VersionChange.Upgraded, 5L, VersionChange.Unchanged, 9L));
  }

  @Test
  void theSameNameInTwoFamiliesIsTwoPackages() {
    PackageTally tally = new PackageTally(true, 99);
    tally.add(PackageFamily.APT, "a", way("1", "2", 1));
    tally.add(PackageFamily.DNF, "a", way("1", "2", 1));
    assertThat(tally.done().lines()).hasSize(2);
  }

  private static PackageTally tally(boolean all, int waysMax) {
    PackageTally tally = new PackageTally(all, waysMax);
    tally.add(PackageFamily.APT, "a", way("1", "2", 1));
    tally.add(PackageFamily.APT, "a", way("2", "2", 2));
    tally.add(PackageFamily.APT, "b", way("1", "1", 7));
    tally.add(PackageFamily.APT, "c", way("1", "2", 4));
    return tally.done();
  }

  private static VersionTransition way(String from, String to, int hosts) {
    return VersionTransition.of(PackageFamily.APT, Optional.of(from), Optional.of(to), hosts);
  }
}
