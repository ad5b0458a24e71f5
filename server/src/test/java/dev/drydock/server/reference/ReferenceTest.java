package dev.drydock.server.reference;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.drydock.impact.policy.PolicyParser;
import dev.drydock.platform.config.ServerConfig;
import dev.drydock.platform.config.ServerConfigFile;
import dev.drydock.platform.metrics.Metrics;
import dev.drydock.server.reference.ConsumerMetrics.Metric;
import dev.drydock.server.reference.PolicyFields.Field;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Pages of {@code docs/reference} are what the code says. {@code make reference} writes them. */
class ReferenceTest {
  private static final Path CHECKOUT = Path.of("..");
  private static final Path FOLDER = CHECKOUT.resolve("docs/reference");
  private static final Path GIVEN = Path.of("src/test/resources/reference");
  private static final Pattern VARIABLE = Pattern.compile("\"(DRYDOCK_[A-Z_]+)\"");

  /** Tests and what our programs tell each other. */
  private static final Set<String> NOT_FOR_PEOPLE =
      Set.of(
          "DRYDOCK_ADAPTER_SKIP_ROTATION",
          "DRYDOCK_CRASH_AT",
          "DRYDOCK_STATE_DIR",
          "DRYDOCK_PLAY",
          "DRYDOCK_DATA",
          "DRYDOCK_SERVICES");

  @Test
  void thePageOfPoliciesHasEveryFieldOfTheSchema() throws IOException {
    compare("policy.md", Pages.policy(fields(schema()), example()));
  }

  @Test
  void theExampleOfAPolicyHasEveryFieldAndNoFault() throws IOException {
    assertThat(fields(schema()))
        .hasSizeGreaterThan(50)
        .noneMatch(field -> field.example().isEmpty());
    assertThat(fields(schema())).noneMatch(field -> field.says().isEmpty());
    assertThat(PolicyParser.parse(example()).faults()).isEmpty();
  }

  /** The control: a field more, without a word about it. */
  @Test
  void aFieldMoreIsAnotherPage() throws IOException {
    JsonNode more = schema();
    ((ObjectNode) more.at("/properties/spec/properties"))
        .putObject("planted")
        .put("description", "a number");
    assertThat(fields(more)).contains(new Field("spec.planted", "", "a number", "", ""));
    assertThat(Pages.policy(fields(more), example()))
        .isNotEqualTo(Pages.policy(fields(schema()), example()));
  }

  @Test
  void thePageOfErrorsHasEveryCodeOfTheServer() throws IOException {
    compare("errors.md", Pages.errors(meanings()));
  }

  @Test
  void everyCodeHasAMeaningAndItsStatus() throws IOException {
    Map<String, Set<Integer>> codes = ErrorCodes.in(CHECKOUT);
    Map<String, String> meanings = meanings();
    assertThat(without(codes.keySet(), meanings.keySet())).as("codes without a meaning").isEmpty();
    assertThat(without(meanings.keySet(), codes.keySet())).as("codes of nothing").isEmpty();
    codes.forEach(
        (code, statuses) -> {
          int told = Integer.parseInt(meanings.getOrDefault(code, "0").split(" ", 2)[0]);
          assertThat(statuses.isEmpty() || statuses.contains(told))
              .as(code + " " + statuses)
              .isTrue();
        });
  }

  /** The control: a code that nobody explained. */
  @Test
  void aPlantedCodeIsFound() {
    Map<String, Set<Integer>> codes = new TreeMap<>();
    ErrorCodes.add(
        codes,
        """
        throw ApiException.conflict("BERTH_TAKEN", "x");
        throw new ApiException(
            HttpStatus.GONE, "Sunk", "x");
        faults.add("TOO_LONG", path); variable("DRYDOCK_URL");
        """);
    assertThat(codes)
        .containsExactly(
            Map.entry("BERTH_TAKEN", Set.of(409)),
            Map.entry("Sunk", Set.of()),
            Map.entry("TOO_LONG", Set.of()));
  }

  @Test
  void thePageOfMetricsHasEveryMetricOfTheServer() throws IOException {
    compare("metrics.md", Pages.metrics(new Metrics().registry().scrape(), consumers()));
    assertThat(consumers().values())
        .allSatisfy(metrics -> assertThat(metrics).hasSizeGreaterThan(3));
  }

  /** The control: a metric more is another page. */
  @Test
  void aMetricMoreIsAnotherPage() {
    Metrics more = new Metrics();
    MetricSnapshots before = more.registry().scrape();
    io.prometheus.metrics.core.metrics.Gauge.builder()
        .name("drydock_planted")
        .help("x")
        .register(more.registry());
    assertThat(Pages.metrics(more.registry().scrape(), Map.of()))
        .contains("| `drydock_planted` | gauge |  | x |")
        .isNotEqualTo(Pages.metrics(before, Map.of()));
    assertThat(
            ConsumerMetrics.inPython("X = Counter(\n \"planted\", \"How many.\", [\"a\", \"b\"])"))
        .containsExactly(new Metric("planted_total", "counter", List.of("a", "b"), "How many."));
  }

  /**
   * The page is written by people; the example in it has every field, at the value it has without.
   */
  @Test
  void theConfigurationOnThePageIsWhatHoldsWithoutIt(@TempDir Path folder) throws IOException {
    String page = Files.readString(FOLDER.resolve("configuration.md"));
    List<String> examples =
        Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL)
            .matcher(page)
            .results()
            .map(found -> found.group(1))
            .toList();
    ServerConfig least = config(folder, examples.getFirst());
    ServerConfig whole = config(folder, examples.get(1));
    assertThat(whole)
        .usingRecursiveComparison()
        .ignoringFields("prometheus", "recoveryWait")
        .isEqualTo(least);
    assertThat(whole.prometheus()).isPresent();
    assertThat(whole.recoveryWait()).isPresent();
    String reader =
        Files.readString(
            CHECKOUT.resolve(
                "platform/src/main/java/dev/drydock/platform/config/ServerConfigFile.java"));
    assertThat(names(examples.get(1))).containsAll(named(reader));
  }

  /** The control: fields of the reader that an example lacks. */
  @Test
  void aFieldThatTheReaderAsksForIsFound() {
    assertThat(
            named(
                "fields.number(\n  \"depth\", 1, 2); fields.section(\"berth\"); fields.has(\"x\")"))
        .containsExactlyInAnyOrder("depth", "berth");
    assertThat(names("berth: {depth: 3}\nport: 1\n")).contains("berth", "depth", "port");
  }

  @Test
  void thePageOfTheConfigurationHasEveryVariableThatProgramsRead() throws IOException {
    String page = Files.readString(FOLDER.resolve("configuration.md"));
    Set<String> read = new TreeSet<>();
    for (String sources :
        List.of(
            "platform/src/main",
            "proto/src/main/java",
            "cli/src/main",
            "scheduler-adapters",
            "remediation/src",
            "impact-analyzer/controllers/src")) {
      try (Stream<Path> files = Files.walk(CHECKOUT.resolve(sources))) {
        for (Path file :
            files.filter(it -> it.toString().matches(".*(/main/.*\\.java|\\.py)")).toList()) {
          VARIABLE
              .matcher(Files.readString(file))
              .results()
              .map(it -> it.group(1))
              .forEach(read::add);
        }
      }
    }
    read.removeAll(NOT_FOR_PEOPLE);
    assertThat(read).hasSizeGreaterThan(15);
    assertThat(read.stream().filter(name -> !page.contains("`" + name + "`"))).isEmpty();
  }

  private static Set<String> without(Set<String> some, Set<String> others) {
    Set<String> left = new TreeSet<>(some);
    left.removeAll(others);
    return left;
  }

  private static Set<String> named(String reader) {
    return new TreeSet<>(
        Pattern.compile(
                "(?:number|text|optionalText|texts|file|section|seconds)\\(\\s*(?:fields,\\s*)?\"(\\w+)\"")
            .matcher(reader)
            .results()
            .map(found -> found.group(1))
            .toList());
  }

  private static Set<String> names(String yaml) {
    return new TreeSet<>(
        Pattern.compile("(\\w+):")
            .matcher(yaml)
            .results()
            .map((MatchResult found) -> found.group(1))
            .toList());
  }

  private static Map<String, List<Metric>> consumers() throws IOException {
    Map<String, List<Metric>> found = new TreeMap<>();
    found.put(
        "Adapter",
        ConsumerMetrics.inJava(
            Files.readString(
                CHECKOUT.resolve(
                    "scheduler-adapters/spi/src/main/java/dev/drydock/adapter/spi/JobMetrics.java"))));
    found.put(
        "Host operator",
        ConsumerMetrics.inPython(
            Files.readString(CHECKOUT.resolve("remediation/src/drydock_remediation/metrics.py"))));
    return found;
  }

  private static ServerConfig config(Path folder, String yaml) throws IOException {
    Files.writeString(folder.resolve("postgres-password"), "x");
    return ServerConfigFile.read(Files.writeString(folder.resolve("server.yaml"), yaml));
  }

  private static List<Field> fields(JsonNode schema) throws IOException {
    Object example = new Load(LoadSettings.builder().build()).loadFromString(example());
    return PolicyFields.of(schema, new ObjectMapper().valueToTree(example));
  }

  private static String example() throws IOException {
    return Files.readString(GIVEN.resolve("policy.yaml"));
  }

  private static JsonNode schema() throws IOException {
    try (InputStream in = PolicyParser.class.getResourceAsStream("/policy.schema.json")) {
      return new ObjectMapper().readTree(Objects.requireNonNull(in));
    }
  }

  private static Map<String, String> meanings() throws IOException {
    Properties read = new Properties();
    try (Reader in = Files.newBufferedReader(GIVEN.resolve("errors.properties"))) {
      read.load(in);
    }
    Map<String, String> meanings = new TreeMap<>();
    read.stringPropertyNames().forEach(name -> meanings.put(name, read.getProperty(name)));
    return meanings;
  }

  private static void compare(String name, String wanted) throws IOException {
    Path page = FOLDER.resolve(name);
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(page, wanted);
    }
    assertThat(Files.readString(page))
        .as(page + " is not what the code says: run `make reference`")
        .isEqualTo(wanted);
  }
}
