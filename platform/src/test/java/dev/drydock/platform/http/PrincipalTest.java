package dev.drydock.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.platform.identity.Role;
import dev.drydock.platform.identity.api.PrincipalResource;
import dev.drydock.platform.testkit.TestApi;
import dev.drydock.proto.Json;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class PrincipalTest {
  @ParameterizedTest
  @EnumSource(Role.class)
  void everyRoleIsToldWhoItIs(Role role) {
    try (TestApi api =
        TestApi.start(Resources.of(PrincipalResource.class, PrincipalResource::new))) {
      String word = role.word();
      assertThat(Json.readTree(api.call(word, "GET", "/api/principal", "").body()))
          .isEqualTo(
              Map.of(
                  "name",
                  word,
                  "team",
                  word,
                  "role",
                  word.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + word.substring(1)));
    }
  }
}
