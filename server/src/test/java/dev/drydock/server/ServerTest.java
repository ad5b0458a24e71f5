package dev.drydock.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.linkedin.restli.server.annotations.RestLiActions;
import com.linkedin.restli.server.annotations.RestLiCollection;
import com.linkedin.restli.server.annotations.RestLiSimpleResource;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program on real stores: it comes up, offers every resource, and ends in order. */
@Tag("stack")
final class ServerTest {
  private static final int TERMINATED = 128 + 15;

  @TempDir private Path folder = Path.of("");

  @Test
  void comesUpOffersEveryResourceAndEndsInOrder() throws Exception {
    try (TestServer server = new TestServer(folder)) {
      Process process = server.start("--roles=all");
      server.untilReady();
      for (String resource : resources()) {
        // A resource that is there has no such action; one that is not is not found.
        HttpResponse<String> answer = server.send("POST", "/api/" + resource + "?action=nothing");
        assertThat(answer.body()).as(resource).contains("METHOD_NOT_ALLOWED");
      }
      process.destroy();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(TERMINATED);
      assertThat(Files.readAllLines(server.log()))
          .allSatisfy(line -> assertThat(line).startsWith("{").doesNotContain("\"ERROR\""))
          .last()
          .asString()
          .contains("\"message\":\"ended\"");
    }
  }

  @Test
  void offersNoResourcesWithoutTheRole() throws Exception {
    try (TestServer server = new TestServer(folder)) {
      server.start("--roles=grantor");
      server.untilReady();
      assertThat(server.send("GET", "/api/hosts").body()).contains("NO_SUCH_PATH");
    }
  }

  @Test
  void saysThatItsPortIsTakenAndWhatToDo() throws Exception {
    try (TestServer server = new TestServer(folder);
        var taken =
            new java.net.ServerSocket(
                server.port(), 1, java.net.InetAddress.getByName("127.0.0.1"))) {
      Process process = server.start("--roles=grantor");
      assertThat(process.waitFor(TestServer.READY_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(1);
      assertThat(Files.readString(server.log()))
          .contains("cannot listen at 127.0.0.1:" + taken.getLocalPort())
          .contains("correct http.port")
          .doesNotContain("\tat ");
    }
  }

  private static List<String> resources() {
    JavaClasses house =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.drydock");
    List<String> names =
        Stream.of(RestLiCollection.class, RestLiActions.class, RestLiSimpleResource.class)
            .flatMap(
                annotation ->
                    house.stream()
                        .flatMap(
                            type -> type.tryGetAnnotationOfType(annotation.getName()).stream()))
            .map(annotation -> String.valueOf(annotation.get("name").orElseThrow()))
            .toList();
    assertThat(names).contains("hosts", "inventory", "locks", "policies", "releases");
    return names;
  }
}
