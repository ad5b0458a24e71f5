package dev.drydock.server.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No two types of the product have the same simple name. */
final class TypeNamesTest {
  private static final Path CHECKOUT = Path.of("..");

  @Test
  void onlyNamesThatAreListedStandTwiceAndEachOfThemDoes() throws IOException {
    List<Path> product = product();
    assertThat(product).hasSizeGreaterThan(15);
    assertThat(TypeNames.twice(product).keySet())
        .containsExactlyInAnyOrderElementsOf(
            TypeNames.ALLOWED.stream().map(TypeNames.Shared::name).toList());
  }

  @Test
  void eachExceptionHasItsOwnReason() {
    assertThat(TypeNames.ALLOWED).hasSizeLessThanOrEqualTo(6);
    assertThat(TypeNames.ALLOWED).extracting(TypeNames.Shared::why).doesNotHaveDuplicates();
  }

  /** Planted: a client and a platform that each know a room, by the same name. */
  @Test
  void noticesWhatIsPlanted() {
    Path planted = Path.of("src/test/java/dev/drydock/server/planted");
    assertThat(TypeNames.twice(List.of(planted)).keySet()).containsExactly("KnowsARoom");
    assertThat(TypeNames.twice(List.of(planted.resolve("cli"), planted.resolve("lock")))).isEmpty();
  }

  /** The sources of each module as the build lists them, and the schemas of the wire. */
  private static List<Path> product() throws IOException {
    Stream<Path> modules =
        Pattern.compile("<module>(.+?)</module>")
            .matcher(Files.readString(CHECKOUT.resolve("pom.xml")))
            .results()
            .map(module -> CHECKOUT.resolve(module.group(1)).resolve("src/main/java"));
    return Stream.concat(modules, Stream.of(CHECKOUT.resolve("proto/src/main/pegasus")))
        .filter(Files::isDirectory)
        .toList();
  }
}
