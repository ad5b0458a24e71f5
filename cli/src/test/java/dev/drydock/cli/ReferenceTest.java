package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code docs/reference/cli.md} is what the program takes. {@code make reference} writes it. */
class ReferenceTest {
  private static final Path PAGE = Path.of("../docs/reference/cli.md");

  @Test
  void thePageHasEveryCommandAndOption() throws IOException {
    String wanted = CliPage.of(commands());
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(PAGE, wanted);
    }
    assertThat(Files.readString(PAGE))
        .as(PAGE + " is not what the program takes: run `make reference`")
        .isEqualTo(wanted);
  }

  @Test
  void everyExitCodeIsExplained() {
    Set<Integer> codes = new TreeSet<>(CliPage.EXIT_CODES.keySet());
    codes.remove(CliPage.INTERRUPTED);
    assertThat(codes)
        .containsExactlyElementsOf(
            Arrays.stream(ExitCode.class.getDeclaredFields())
                .filter(field -> field.getType() == int.class)
                .map(ReferenceTest::value)
                .sorted()
                .toList());
  }

  /** What people copy from a page is a command that the program takes. */
  @Test
  void everyCommandOnAPageIsOne() throws IOException {
    List<String> faults = new ArrayList<>();
    int found = 0;
    for (Path page : pages()) {
      for (List<String> words : PageCommands.in(Files.readString(page))) {
        found++;
        fault(words)
            .ifPresent(fault -> faults.add(page + ": " + String.join(" ", words) + ": " + fault));
      }
    }
    assertThat(faults).isEmpty();
    assertThat(found).isGreaterThan(30);
  }

  /** The control: an option, a command and a word that the program does not have. */
  @Test
  void aPlantedCommandThatIsNoneIsFound() {
    List<List<String>> words =
        PageCommands.in(
            """
            Text with drydock rollout pause.

            ```
            cli/drydock rollout pause r1 --reason "look at the first"   # no host begins
            drydock lock run h01 \\
              --reason motd -- ansible-playbook motd.yml
            drydock rollout stop r1
            drydock rollout pause r1 --hard
            drydock decision answer g7.1 Perhaps
            ```
            """);
    assertThat(words).hasSize(5);
    assertThat(words.getFirst())
        .containsExactly("rollout", "pause", "r1", "--reason", "look at the first");
    assertThat(words.stream().map(ReferenceTest::fault).map(Optional::isPresent))
        .containsExactly(false, false, true, true, true);
  }

  private static Optional<String> fault(List<String> words) {
    int dashes = words.indexOf("--");
    List<String> ours = dashes < 0 ? words : words.subList(0, dashes);
    CommandLine root = commands();
    EnumConverter.register(root);
    try {
      root.parseArgs(ours.toArray(String[]::new));
      return Optional.empty();
    } catch (CommandLine.ParameterException wrong) {
      return Optional.of(String.valueOf(wrong.getMessage()));
    }
  }

  private static List<Path> pages() throws IOException {
    Path checkout = Path.of("..");
    List<Path> pages =
        new ArrayList<>(
            List.of(checkout.resolve("README.md"), checkout.resolve("docs/tutorial.md")));
    try (Stream<Path> guides = Files.walk(checkout.resolve("docs/how-to"))) {
      guides.filter(page -> page.toString().endsWith(".md")).sorted().forEach(pages::add);
    }
    return pages;
  }

  /** The control: a command or an option more is another page. */
  @Test
  void everyCommandAndOptionChangesThePage() {
    String before = CliPage.of(commands());
    CommandLine more = commands();
    more.addSubcommand(
        new CommandLine(
            CommandLine.Model.CommandSpec.create().name("planted").addOption(option())));
    assertThat(CliPage.of(more))
        .isNotEqualTo(before)
        .contains("## drydock planted")
        .contains("| `--depth METRES` | How deep. |");
  }

  private static CommandLine.Model.OptionSpec option() {
    return CommandLine.Model.OptionSpec.builder("--depth")
        .type(int.class)
        .paramLabel("METRES")
        .description("How deep.")
        .build();
  }

  private static int value(Field code) {
    try {
      code.setAccessible(true);
      return code.getInt(null);
    } catch (IllegalAccessException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static CommandLine commands() {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    return Main.commands(
        new CliEnvironment(Map.of(), Path.of("/nowhere"), nowhere, nowhere, false), List.of());
  }
}
