package dev.drydock.impact.fleet;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.drydock.impact.core.Amount;
import dev.drydock.impact.core.MaxUnavailable;
import dev.drydock.impact.plan.Batches;
import dev.drydock.impact.plan.CompactFleet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A made-up instance of the published format: two resources, three machines in two locations, two
 * services, four processes.
 */
final class PublishedFleetTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static final String MODEL =
      """
      2
      1 10
      0 20

      3
      7 0  30 30  25 25  0 1 2
      8 1  31 31  26 26  1 0 3
      9 1  32 32  27 27  2 3 0

      2
      1 0
      2 1 0

      4
      0  11 12  5
      0  13 14  5
      1  15 16  5
      1  17 18  5
      """;

  @TempDir Path folder;

  private PublishedFleet read(String model, String assignment) throws InvalidInputException {
    try {
      Files.writeString(folder.resolve("assignment_x.txt"), assignment);
      return PublishedFleet.read(Files.writeString(folder.resolve("model_x.txt"), model), HOUR);
    } catch (IOException unwritable) {
      throw new AssertionError(unwritable);
    }
  }

  @Test
  void machinesAreHostsAndLocationsTheFaultZonesOfTheirProcesses() throws InvalidInputException {
    CompactFleet fleet = read(MODEL, "1 2 0 0").fleet();
    assertThat(fleet.hostCount()).isEqualTo(3);
    assertThat(fleet.instanceCount()).isEqualTo(4);
    assertThat(fleet.zoneCount()).isEqualTo(2);
    assertThat(batches(fleet, "s0")).containsExactly(List.of("m0"), List.of("m1", "m2"));
    assertThat(batches(fleet, "s1")).containsExactly(List.of("m0"), List.of("m1"), List.of("m2"));
  }

  /** Where the fault zones of one service go together. */
  private static List<List<String>> batches(CompactFleet fleet, String service) {
    return Arrays.stream(Batches.of(fleet, fleet.allHosts(), Set.of(service)))
        .map(batch -> Arrays.stream(batch).mapToObj(fleet::host).toList())
        .toList();
  }

  @Test
  void ofEachServiceWhatOneMachineCarriesMayBeDown() throws InvalidInputException {
    PublishedFleet published = read(MODEL, "1 2 0 0");
    assertThat(published.policies().of("s0").orElseThrow().rules())
        .containsExactly(new MaxUnavailable(new Amount.Count(1)));
    assertThat(published.policies().of("s1").orElseThrow().rules())
        .containsExactly(new MaxUnavailable(new Amount.Count(2)));
  }

  @Test
  void ofALargeServiceATenthMayBeDown() throws InvalidInputException {
    String machines = "0  30" + ("  0 0" + " 0".repeat(30)).repeat(30);
    String processes = "  1  0 0  30" + "  0 5".repeat(30);
    String each = IntStream.range(0, 30).mapToObj(Integer::toString).collect(joining(" "));
    assertThat(read(machines + processes, each).policies().of("s0").orElseThrow().rules())
        .containsExactly(new MaxUnavailable(new Amount.Count(3)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | number 1 must be the number of resources from 0 to 1000000, is missing",
        "3 | is cut off: it ends after 3 numbers, 2 short",
        "7 | number 8 must be a location from 0 to 1000000, is missing",
        "52 | number 53 must be a service from 0 to 1, is missing",
        "55 | is cut off: it ends after 55 numbers, 1 short",
      })
  void aModelThatIsCutOffIsNamedWithWhatIsMissing(int numbers, String fault) {
    String model = Stream.of(MODEL.strip().split("\\s+")).limit(numbers).collect(joining(" "));
    assertThat(faults(model, "0 1 2 2"))
        .containsExactly(folder.resolve("model_x.txt") + ": " + fault);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 1 2 3 | number 4 must be a machine from 0 to 2, is '3'",
        "0 -1 2 2 | number 2 must be a machine from 0 to 2, is '-1'",
        "0 1 2 | number 4 must be a machine from 0 to 2, is missing",
      })
  void anAssignmentThatDoesNotFitIsNamedByItsPlace(String assignment, String fault) {
    assertThat(faults(MODEL, assignment))
        .containsExactly(folder.resolve("assignment_x.txt") + ": " + fault);
  }

  @Test
  void aFileThatIsMissingIsNamed() throws IOException {
    Path model = Files.writeString(folder.resolve("model_y.txt"), MODEL);
    InvalidInputException bad =
        catchThrowableOfType(InvalidInputException.class, () -> PublishedFleet.read(model, HOUR));
    assertThat(bad.faults())
        .singleElement()
        .asString()
        .startsWith(folder.resolve("assignment_y.txt") + ": cannot be read");
  }

  private List<String> faults(String model, String assignment) {
    return catchThrowableOfType(InvalidInputException.class, () -> read(model, assignment))
        .faults();
  }
}
