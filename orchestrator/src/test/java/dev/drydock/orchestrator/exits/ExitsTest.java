package dev.drydock.orchestrator.exits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.orchestrator.core.model.Phase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every state has every way out, and a test that shows it. {@code -Dexits.write=true} brings the
 * table up to date.
 */
class ExitsTest {
  private static final Path TABLE = Path.of("../docs/exits.md");
  private static final Path CHECKOUT = Path.of("..");
  private static final Path CRASHES = CHECKOUT.resolve("lab/src/drydock_crashes/states.json");
  private static final Path EXPLORED = Path.of("core/src/test/resources/exits.txt");
  private static final Machine LIGHT =
      new Machine(
          "Light",
          "A lamp.",
          List.of("On", "Off"),
          "Off"::equals,
          Map.of("On time-out", "none: it burns for ever"));
  private static final List<Cell> SHOWN = Claims.of(Shop.class).toList();

  @Test
  void everyStateHasEveryWayOutAndATestThatShowsIt() throws IOException {
    Table table = new Table(Machine.all(), claims(), Explored.of(EXPLORED));
    assertThat(table.faults()).isEmpty();
    if (Boolean.getBoolean("exits.write")) {
      Files.writeString(TABLE, table.text());
    }
    assertThat(Files.readString(TABLE))
        .as(TABLE + " is not what code and tests say: run `make exits`")
        .isEqualTo(table.text());
  }

  private static List<Cell> claims() {
    return Stream.concat(Claims.ofThisModule().stream(), SoakClaims.of(CRASHES, CHECKOUT)).toList();
  }

  /** Every process dies in each of these; hosts and jobs go through theirs in every phase. */
  @Test
  void theSoakOfCrashesKnowsEveryStateThatSomethingFollows() {
    Set<String> inPhases = Set.of("HostUpgradeState", "JobState");
    List<String> states =
        Machine.all().stream()
            .filter(machine -> !inPhases.contains(machine.name()))
            .flatMap(
                machine ->
                    machine.states().stream()
                        .filter(machine.last().negate())
                        .map(state -> machine.name() + "." + state))
            .toList();
    assertThat(SoakClaims.of(CRASHES, CHECKOUT))
        .extracting(cell -> cell.machine() + "." + cell.state())
        .containsExactlyInAnyOrderElementsOf(states);
  }

  /** The control: the test of its list was removed, or does not run. */
  @Test
  void aSoakWithoutItsTestShowsNothing(@TempDir Path checkout) throws IOException {
    Path list =
        Files.writeString(
            checkout.resolve("states.json"),
            """
            {"test": "test_x.py::test_a", "Light": {"On": {"end": "Off"}}}
            """);
    Path test = Files.writeString(checkout.resolve("test_x.py"), "@here\ndef test_a() -> None:\n");
    assertThat(SoakClaims.of(list, checkout))
        .containsExactly(new Cell("Light", "On", Exit.CRASH, "Off", "make soak-crash"));
    for (String other :
        List.of("@here\ndef test_b() -> None:\n", "@pytest.mark.skip\ndef test_a() -> None:\n")) {
      Files.writeString(test, other);
      assertThatThrownBy(() -> SoakClaims.of(list, checkout)).hasMessageContaining("does not run");
    }
  }

  @Test
  void everyPhaseOfABatchIsARow() {
    assertThat(Machine.all().getFirst().states())
        .containsExactlyElementsOf(Stream.of(Phase.values()).map(Phase::name).toList());
  }

  @Test
  void aCellSaysItsEndAndItsTest() {
    assertThat(new Table(List.of(LIGHT), SHOWN, List.of()).faults()).isEmpty();
    assertThat(new Table(List.of(LIGHT), SHOWN, List.of()).text())
        .endsWith(
            """
            | state | abort | time-out | failure | crash |
            |---|---|---|---|---|
            | On | Off: `Shop#switchedOff` | none: it burns for ever | Off: `Shop#burntOut` | Off: `Shop#burntOut` |
            | Off | final | final | final | final |
            """);
  }

  /** The control: a state that is new, and a test that was removed or does not run. */
  @Test
  void aStateOrACellWithoutATestIsAFault() {
    Machine more =
        new Machine("Light", "", List.of("On", "Dimmed", "Off"), "Off"::equals, LIGHT.without());
    assertThat(new Table(List.of(more), SHOWN, List.of()).faults())
        .containsExactly(
            "Light.Dimmed × abort: no test shows it; see Shows",
            "Light.Dimmed × time-out: no test shows it; see Shows",
            "Light.Dimmed × failure: no test shows it; see Shows",
            "Light.Dimmed × crash: no test shows it; see Shows");
    List<Cell> less =
        SHOWN.stream().filter(cell -> !cell.test().equals("Shop#switchedOff")).toList();
    assertThat(new Table(List.of(LIGHT), less, List.of()).faults())
        .containsExactly("Light.On × abort: no test shows it; see Shows");
    assertThat(Claims.of(ClosedShop.class)).isEmpty();
  }

  @Test
  void whatIsSaidOfNothingIsAFault() {
    Machine less =
        new Machine("Light", "", List.of("Off"), "Off"::equals, Map.of("On abort", "none"));
    assertThat(new Table(List.of(less), SHOWN, List.of()).faults())
        .contains("Light has no such state: On abort")
        .contains("Shop#burntOut shows a state that is not there: On");
    Machine both =
        new Machine(
            "Light",
            "",
            LIGHT.states(),
            "Off"::equals,
            Map.of("On time-out", "none", "On abort", "none", "Off abort", "none"));
    assertThat(new Table(List.of(both), SHOWN, List.of()).faults())
        .containsExactly(
            "Light.On × abort: said not to be there, and shown",
            "Light.Off × abort: nothing follows this state, and something is said of it");
  }

  /** The control: a test shows what cannot be, and nobody shows what can. */
  @Test
  void testsAndTheExplorerMayNotContradictEachOther() {
    Cell dark = new Cell("Light", "On", Exit.ABORT, "Off", "");
    Cell burnt = new Cell("Light", "On", Exit.FAILURE, "Off", "");
    Cell blown = new Cell("Light", "On", Exit.CRASH, "Off", "");
    Cell stolen = new Cell("Light", "On", Exit.BROKEN_GLASS, "Gone", "");
    List<Cell> agreed = List.of(dark, burnt, blown, stolen);
    Machine may = glazed(Map.of("On broken glass", "nobody steals in tests"), Map.of());
    assertThat(new Table(List.of(may), SHOWN, agreed).faults()).isEmpty();
    assertThat(new Table(List.of(may), SHOWN, agreed).text())
        .contains("| Off: `Shop#burntOut` | Gone: nobody steals in tests |");

    assertThat(new Table(List.of(may), SHOWN, List.of(dark, blown, stolen)).faults())
        .containsExactly(
            "Light.On × failure: Shop#burntOut shows Off, which the explorer never reaches");
    assertThat(new Table(List.of(glazed(Map.of(), Map.of())), SHOWN, agreed).faults())
        .containsExactly("Light.On × broken glass: no test shows it; see Shows");
    Cell spent = new Cell("Light", "On", Exit.TIME_OUT, "Off", "");
    assertThat(new Table(List.of(may), SHOWN, List.of(dark, burnt, blown, stolen, spent)).faults())
        .containsExactly("Light.On × time-out: said not to be there, and explored to end [Off]");
    assertThat(
            new Table(
                    List.of(glazed(Map.of("On abort", "why"), Map.of("On crash Off", "why"))),
                    SHOWN,
                    List.of(dark, burnt, blown))
                .faults())
        .containsExactly(
            "Light.On × broken glass: no test shows it; see Shows",
            "Light.On × abort: a reason that nothing needs",
            "Light.On crash Off: a reason that nothing needs");
  }

  @Test
  void aLineThatIsNoEndOfAHostIsSaid(@TempDir Path folder) throws IOException {
    Path written =
        Files.writeString(folder.resolve("exits.txt"), "CORDON | fire | Requeued | a way");
    assertThatThrownBy(() -> Explored.of(written)).hasMessageContaining("CORDON | fire");
  }

  /** A lamp that people may take away as well. */
  private static Machine glazed(Map<String, String> unshown, Map<String, String> unexplored) {
    return new Machine(
        "Light",
        "",
        LIGHT.states(),
        LIGHT.last(),
        EnumSet.allOf(Exit.class),
        LIGHT.without(),
        unshown,
        unexplored);
  }

  private enum Light {
    On
  }

  /** What tests of a lamp would look like; nobody runs them. */
  private static final class Shop {
    @Test
    @Shows(of = Light.class, states = "On", exit = Exit.ABORT, end = "Off")
    void switchedOff() {}

    @Test
    @Shows(of = Light.class, states = "On", exit = Exit.FAILURE, end = "Off")
    @Shows(of = Light.class, states = "On", exit = Exit.CRASH, end = "Off")
    void burntOut() {}

    @Test
    @Disabled
    @Shows(of = Light.class, states = "On", exit = Exit.ABORT, end = "Off")
    void doesNotRun() {}

    @Shows(of = Light.class, states = "On", exit = Exit.ABORT, end = "Off")
    void isNoTest() {}
  }

  @Disabled
  private static final class ClosedShop {
    @Test
    @Shows(of = Light.class, states = "On", exit = Exit.ABORT, end = "Off")
    void doesNotRun() {}
  }
}
