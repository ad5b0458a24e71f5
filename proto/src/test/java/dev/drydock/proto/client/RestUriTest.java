package dev.drydock.proto.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RestUriTest {
  @Test
  void leavesPlainNamesAlone() {
    assertThat(RestUri.atom("g17.Drain.h01.1")).isEqualTo("g17.Drain.h01.1");
  }

  @Test
  void escapesWhatCarriesStructure() {
    assertThat(RestUri.atom("a,b(c):d'e")).isEqualTo("a%2Cb%28c%29%3Ad%27e");
  }

  @Test
  void escapesWhatEndsAPathOrAParameter() {
    assertThat(RestUri.atom("scheduler/static?x=1&y=2#z +%"))
        .isEqualTo("scheduler%2Fstatic%3Fx%3D1%26y%3D2%23z%20%2B%25");
  }

  @Test
  void writesOtherLettersAsUtf8() {
    assertThat(RestUri.atom("höst")).isEqualTo("h%C3%B6st");
  }

  @Test
  void anEmptyStringIsVisible() {
    assertThat(RestUri.atom("")).isEqualTo("''");
    assertThat(RestUri.list(List.of("", "b"))).isEqualTo("List('',b)");
  }

  @Test
  void keepsTheStructureOfAListRaw() {
    assertThat(RestUri.list(List.of("scheduler/static", "a,b")))
        .isEqualTo("List(scheduler%2Fstatic,a%2Cb)");
    assertThat(RestUri.list(List.of())).isEqualTo("List()");
  }

  @Test
  void isAUriThatReadsBack() {
    String key = "web@h01/(x),'y':z %é";
    assertThat(URI.create("http://127.0.0.1/api/hosts/" + RestUri.atom(key)).getPath())
        .isEqualTo("/api/hosts/" + key);
  }
}
