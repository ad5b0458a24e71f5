package dev.drydock.orchestrator.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackageListTest {
  @Test
  void readsVersionsByName() {
    PackageList.Known list = known("libc6 2.36-9\nopenssl 3.0.11-1~deb12u2\n");
    assertThat(list.versions())
        .containsEntry("libc6", "2.36-9")
        .containsEntry("openssl", "3.0.11-1~deb12u2")
        .hasSize(2);
  }

  @Test
  void keepsAllVersionsSideBySideOnce() {
    for (String text :
        List.of("kernel 5.14-2\nkernel 5.14-1\nkernel 5.14-2\n", "kernel 5.14-2,5.14-1\n")) {
      assertThat(known(text).versions()).containsEntry("kernel", "5.14-1 5.14-2");
    }
  }

  @Test
  void theSamePackagesHaveOneDigest() {
    byte[] digest = known("a 1\nb 2\n").digest();
    assertThat(known("b 2\na 1").digest()).isEqualTo(digest);
    assertThat(known("a 1\nb 3\n").digest()).isNotEqualTo(digest);
  }

  @ParameterizedTest
  @CsvSource({
    "'', is empty",
    "'a', line 1 is not NAME VERSION",
    "'a 1|b  2', line 2 is not NAME VERSION",
    "'a 1||b 2', line 2 is not NAME VERSION",
    "'a 1|b 2,', line 2 is not NAME VERSION",
    "'a 1|b 2 3', line 2 is not NAME VERSION",
    "' 1', line 1 is not NAME VERSION"
  })
  void saysWhatIsWrong(String text, String fault) {
    assertThat(PackageList.parse(text.replace('|', '\n'))).isEqualTo(new PackageList.Faulty(fault));
  }

  @Test
  void refusesAListWithoutMeasure() {
    String line = "name 1.0\n";
    String large = line.repeat(PackageList.TEXT_BYTES_MAX / line.length() + 1);
    assertThat(PackageList.parse(large))
        .isEqualTo(new PackageList.Faulty("is larger than 262144 bytes"));
  }

  private static PackageList.Known known(String text) {
    return (PackageList.Known) PackageList.parse(text);
  }
}
