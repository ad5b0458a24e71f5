package dev.drydock.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.linkedin.data.template.StringMap;
import dev.drydock.api.InventoryReport;
import dev.drydock.api.JobStep;
import dev.drydock.api.Release;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JsonTest {
  private static final Release RELEASE =
      new Release()
          .setName("2")
          .setChannel("http://packages/v2")
          .setPackages(new StringMap(Map.of("fleet-os", "2.0")))
          .setKernel("6.2")
          .setCreatedAt((1L << 53) + 1);

  @Test
  void readsWhatItWrote() {
    assertThat(Json.read(Json.write(RELEASE), Release.class)).isEqualTo(RELEASE);
    assertThat(Json.readStrict(Json.write(RELEASE), Release.class)).isEqualTo(RELEASE);
  }

  @Test
  void keepsUnknownFieldsOfANewerWriterUnlessStrict() {
    String newer = Json.write(RELEASE).replace("{", "{\"colour\":\"red\",");
    assertThat(Json.read(newer, Release.class).getKernel()).isEqualTo("6.2");
    assertThatThrownBy(() -> Json.readStrict(newer, Release.class))
        .isInstanceOf(InvalidRecordException.class)
        .hasMessageContaining("colour: is not a known field");
  }

  @Test
  void namesEveryFaultByItsPath() {
    String bad =
        """
        {"source": "s", "mark": 1.5, "hosts": [{"name": "h"}],
         "instances": [{"id": "i", "application": "a", "host": "h", "zone": "z",
                        "health": "Fine", "observedAt": 1}]}""";
    assertThatThrownBy(() -> Json.readStrict(bad, InventoryReport.class))
        .isInstanceOfSatisfying(
            InvalidRecordException.class,
            refused ->
                assertThat(refused.details())
                    .extracting(detail -> detail.getPath())
                    .containsExactlyInAnyOrder(
                        "mark",
                        "full",
                        "hosts[0].address",
                        "hosts[0].scheduler",
                        "instances[0].health"));
  }

  @Test
  void refusesWhatIsNoObject() {
    for (String text : List.of("", "[1]", "{", "null", "7")) {
      assertThatThrownBy(() -> Json.read(text, Release.class))
          .as("<%s>", text)
          .isInstanceOf(InvalidRecordException.class);
    }
  }

  @Test
  void writesTreesOfPlainValues() {
    String json =
        Json.writeTree(
            Map.of("list", List.of(1, 2L, "x", true), "step", JobStep.Drain, "release", RELEASE));
    assertThat(Json.readTree(json))
        .containsEntry("step", "Drain")
        .containsEntry("list", List.of(1, 2, "x", true))
        .containsEntry("release", RELEASE.data());
    assertThatThrownBy(() -> Json.writeTree(Map.of("a", new Object())))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
