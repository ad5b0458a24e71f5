package dev.drydock.orchestrator.intake;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostSelectorTest {
  private static final Map<String, String> HOST =
      Map.of("rack", "r1", "os-family", "apt", "drydock.dev/pool", "blue", "note", "");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rack=r1                                   | true",
        "rack == r1                                | true",
        "rack=r2                                   | false",
        "rack!=r2                                  | true",
        "rack!=r1                                  | false",
        "row!=a                                    | true",
        "row=a                                     | false",
        "rack in (r1)                              | true",
        "rack in (r2, r1 ,r3)                      | true",
        "rack in (r2)                              | false",
        "row in (a)                                | false",
        "rack notin (r2,r3)                        | true",
        "rack notin (r1)                           | false",
        "row notin (a)                             | true",
        "rack                                      | true",
        "row                                       | false",
        "!row                                      | true",
        "! rack                                    | false",
        "note=                                     | true",
        "rack=                                     | false",
        "note in ()                                | true",
        "drydock.dev/pool=blue                     | true",
        "rack=r1,os-family in (apt,dnf), !row      | true",
        "rack=r1,os-family in (dnf)                | false",
        "rack in (r1,r2),os-family notin (apt,dnf) | false",
        "in in (a)                                 | false",
      })
  void selectsAsKubernetesDoes(String selector, boolean selected) {
    assertThat(HostSelector.parse(selector).selects(HOST)).isEqualTo(selected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rack=r1,",
        ",",
        "=r1",
        "rack=r1 r2",
        "rack in r1",
        "rack in (r1",
        "rack in (r1))",
        "rack in (r 1)",
        "rack > 3",
        "rack=~r.*",
        "!rack=r1",
        "rack = 'r1'",
        "rack=r1;drop",
        "rack\u0000=r1"
      })
  void refusesWhatItDoesNotUnderstandAndSaysWhat(String selector) {
    assertThatThrownBy(() -> HostSelector.parse(selector))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no requirement; write key=value");
  }
}
