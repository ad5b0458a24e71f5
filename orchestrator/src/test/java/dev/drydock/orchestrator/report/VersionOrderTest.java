package dev.drydock.orchestrator.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.drydock.orchestrator.versions.DebianOrder;
import dev.drydock.orchestrator.versions.RpmOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Both orders against the programs that define them, and against what their manuals say. */
class VersionOrderTest {
  private static final int PAIRS = Integer.getInteger("prop.runs", 150);

  private record Pair(String one, String other) {}

  @ParameterizedTest
  @CsvSource({
    "1.0, =, 1.0",
    "1.0, <, 2.0",
    "2.0, <, 2.0.1",
    "2.0.1a, >, 2.0.1",
    "5.5p1, <, 5.5p10",
    "10xyz, <, 10.1xyz",
    "xyz10, <, xyz10.1",
    "xyz.4, <, 8",
    "xyz.4, <, 2",
    "5.5p2, <, 5.6p1",
    "5.6p1, <, 6.5p1",
    "6.0.rc1, >, 6.0",
    "10b2, >, 10a1",
    "1.0aa, >, 1.0a",
    "10.0001, =, 10.1",
    "10.0001, <, 10.0039",
    "4.999.9, <, 5.0",
    "20101121, <, 20101122",
    "2_0, =, 2.0",
    "a, =, a",
    "a+, =, a+",
    "a+, =, a_",
    "+, =, _",
    "1.0~rc1, <, 1.0",
    "1.0~rc1, <, 1.0~rc2",
    "1.0~rc1~git123, <, 1.0~rc1",
    "1.0^, >, 1.0",
    "1.0^git1, <, 1.0^git2",
    "1.0^git1, <, 1.01",
    "1.0^20160101, <, 1.0.1",
    "1.0^20160102, >, 1.0^20160101^git1",
    "1.0~rc1^git1, >, 1.0~rc1",
    "1.0^git1~pre, <, 1.0^git1",
    "1.900, >, 1.8",
    "FC5, <, fc4",
    "2a, <, 2.0",
    "1.0, >, 1.fc4",
    "3.0.0_fc, =, 3.0.0.fc",
    "1:1.0, >, 2.0",
    "0:1.0-1, =, 1.0-1",
    "1.0-2, <, 1.0-10",
    "3.0.7-25.el9_3, <, 3.0.7-27.el9",
    "20230311120000-1, <, 20230311120001-1"
  })
  void ordersRpmVersions(String one, char expected, String other) {
    assertOrder(new RpmOrder(), one, expected, other);
  }

  @ParameterizedTest
  @CsvSource({
    "1.0, =, 1.0-0",
    "1.0~rc1, <, 1.0",
    "1.0~~, <, 1.0~~a",
    "1.0~~a, <, 1.0~",
    "1.0, <, 1.0a",
    "1.0a, <, 1.0+",
    "1.0, <, 1.0-1",
    "1.0-1, <, 1.0-1+deb12u1",
    "1:0.1, >, 9.9",
    "0:1, =, 1",
    "1.10, >, 1.9",
    "1.010, =, 1.10",
    "1.0-1-2, >, 1.0-1-1",
    "3.0.11-1~deb12u2, <, 3.0.11-1",
    "1.0~git20230311120000-1, <, 1.0~git20230311120001-1",
    "2:8.2.3995-1ubuntu2, <, 2:9.0.0000-1"
  })
  void ordersDebianVersions(String one, char expected, String other) {
    assertOrder(new DebianOrder(), one, expected, other);
  }

  private static void assertOrder(
      Comparator<String> order, String one, char expected, String other) {
    assertThat(sign(order, one, other)).isEqualTo(expected);
    assertThat(sign(order, other, one)).isEqualTo("<=>".charAt(2 - "<=>".indexOf(expected)));
  }

  @Test
  void agreesWithDpkg() throws Exception {
    long seed = seed();
    List<Pair> pairs = pairs(seed, "0123456789", "abZ", ".+~");
    assertThat(disagreements(new DebianOrder(), pairs, dpkg(pairs)))
        .as("repeat with -Dprop.seed=%d", seed)
        .isEmpty();
  }

  /** The control of the test above: an order by text does not agree. */
  @Test
  void anOrderByTextDoesNotAgreeWithDpkg() throws Exception {
    List<Pair> pairs = pairs(seed(), "0123456789", "abZ", ".+~");
    assertThat(disagreements(Comparator.naturalOrder(), pairs, dpkg(pairs))).isNotEmpty();
  }

  @Test
  void agreesWithRpmWhereThatIsInstalled() throws Exception {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "rpm"))),
        "there is no rpm");
    long seed = seed();
    List<Pair> pairs = pairs(seed, "0123456789", "abZ", "._+~^");
    StringBuilder script = new StringBuilder("%{lua:");
    for (Pair pair : pairs) {
      script.append("print(rpm.vercmp(\"%s\",\"%s\")..' ')".formatted(pair.one(), pair.other()));
    }
    List<Character> signs =
        run("", "rpm", "--eval", script.append("}").toString()).stream()
            .flatMap(line -> Stream.of(line.strip().split(" ")))
            .map(number -> "<=>".charAt(Integer.parseInt(number) + 1))
            .toList();
    assertThat(disagreements(new RpmOrder(), pairs, signs))
        .as("repeat with -Dprop.seed=%d", seed)
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(PackageFamily.class)
  void isAnOrder(PackageFamily packageFamily) {
    long seed = seed();
    List<Pair> pairs = pairs(seed, "01", "ab", ".~^é:-");
    Comparator<String> order = packageFamily.order();
    for (int i = 2; i < pairs.size(); i++) {
      List<String> three =
          Stream.of(pairs.get(i).one(), pairs.get(i).other(), pairs.get(i - 1).one())
              .sorted(order)
              .toList();
      assertThat(order.compare(three.get(0), three.get(2)))
          .as("%s, repeat with -Dprop.seed=%d", three, seed)
          .isLessThanOrEqualTo(0);
      assertThat(order.compare(three.get(2), three.get(0))).isGreaterThanOrEqualTo(0);
    }
  }

  private static long seed() {
    return Long.getLong("prop.seed", System.nanoTime());
  }

  /** Pairs that mostly have a beginning in common: others are decided by their first letter. */
  private static List<Pair> pairs(long seed, String digits, String letters, String others) {
    Random random = new Random(seed);
    List<Pair> pairs = new ArrayList<>();
    for (int i = 0; i < PAIRS; i++) {
      String start = random.nextInt(5) == 0 ? random.nextInt(3) + ":1" : "1";
      String common = start + part(random, digits, letters, others);
      pairs.add(
          new Pair(
              common + part(random, digits, letters, others) + release(random),
              common + part(random, digits, letters, others) + release(random)));
    }
    return pairs;
  }

  private static String part(Random random, String digits, String letters, String others) {
    StringBuilder part = new StringBuilder();
    int length = random.nextInt(5);
    for (int i = 0; i < length; i++) {
      String from = List.of(digits, letters, others).get(random.nextInt(3));
      part.append(from.charAt(random.nextInt(from.length())));
    }
    return part.toString();
  }

  private static String release(Random random) {
    return random.nextBoolean() ? "" : "-" + (1 + random.nextInt(12));
  }

  private static List<String> disagreements(
      Comparator<String> order, List<Pair> pairs, List<Character> expected) {
    List<String> found = new ArrayList<>();
    assertThat(expected).hasSameSizeAs(pairs);
    for (int i = 0; i < pairs.size(); i++) {
      Pair pair = pairs.get(i);
      char mine = sign(order, pair.one(), pair.other());
      if (mine != expected.get(i)) {
        found.add(pair + " is " + expected.get(i) + ", not " + mine);
      }
    }
    return found;
  }

  private static char sign(Comparator<String> order, String one, String other) {
    return "<=>".charAt(Integer.signum(order.compare(one, other)) + 1);
  }

  private static List<Character> dpkg(List<Pair> pairs) throws Exception {
    StringBuilder lines = new StringBuilder();
    pairs.forEach(pair -> lines.append(pair.one() + " " + pair.other() + "\n"));
    String script =
        """
        while read -r one other; do
          if dpkg --compare-versions "$one" lt "$other"; then echo '<'
          elif dpkg --compare-versions "$one" eq "$other"; then echo '='
          else echo '>'; fi
        done
        """;
    return run(lines.toString(), "sh", "-c", script).stream().map(line -> line.charAt(0)).toList();
  }

  private static List<String> run(String input, String... command) throws Exception {
    Path given = Files.createTempFile("versions", "");
    try {
      Files.writeString(given, input);
      Process process = new ProcessBuilder(command).redirectInput(given.toFile()).start();
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor()).isZero();
      return out.lines().toList();
    } finally {
      Files.delete(given);
    }
  }

  @Test
  void saysWhatBecameOfAPackage() {
    assertThat(change("1.0", "1.1")).isEqualTo("Upgraded");
    assertThat(change("1.1", "1.0")).isEqualTo("Downgraded");
    assertThat(change("1.0", "1.0")).isEqualTo("Unchanged");
    assertThat(change("", "1.0")).isEqualTo("Installed");
    assertThat(change("1.0", "")).isEqualTo("Removed");
    assertThat(change("5.14.0-1 5.14.0-2", "5.14.0-2 5.14.0-3")).isEqualTo("Upgraded");
    assertThat(change("5.14.0-1 5.14.0-2", "5.14.0-2")).isEqualTo("Upgraded");
    assertThat(change("5.14.0-9 5.14.0-10", "5.14.0-9")).isEqualTo("Downgraded");
  }

  private static String change(String from, String to) {
    return PackageFamily.DNF
        .change(
            Optional.of(from).filter(text -> !text.isEmpty()),
            Optional.of(to).filter(text -> !text.isEmpty()))
        .name();
  }
}
