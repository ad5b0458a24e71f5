package dev.drydock.server.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Callers of the committed contract notice nothing of what this checkout changed; and every kind of
 * change that they would notice is shown to be found.
 */
final class ApiContractTest {
  private static final Exporter OFFERED = Contract.offered();

  @TempDir Path folder;

  /** The gate. */
  @Test
  void keepsTheCommittedContract() throws IOException {
    OFFERED.write(folder);
    assertThat(Contract.committed().faults(folder)).isEmpty();
    Set<String> additions = Contract.committed().additions(folder);
    if (!additions.isEmpty()) {
      System.out.println("not recorded yet, " + Contract.RECORD_COMMAND + " does it: " + additions);
    }
  }

  @Test
  void looksAtEveryRoomAndEverySchema() throws IOException {
    OFFERED.write(folder);
    for (String resource : List.of("hosts", "hostUpgrades", "inventory", "jobs", "locks")) {
      assertThat(folder.resolve("idl/dev.drydock.api." + resource + ".restspec.json")).exists();
    }
    assertThat(folder.resolve("snapshot/dev.drydock.api.policies.snapshot.json")).exists();
    assertThat(folder.resolve("snapshot/dev.drydock.api.records.snapshot.json"))
        .content()
        .contains("ErrorDetail", "TicketRequest", "RolloutRequest", "JobResult");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Host | address: string          | ''                      | Host: new record removed required fields address",
        "Instance | vanishedAt: optional long | '' | Instance: new record removed optional fields vanishedAt",
        "Host | address: string          | adress: string          | Host: new record removed required fields address",
        "Host | address: string          | address: int            | Host/address/int: schema type changed from string to int",
        "Host | release: optional string | release: string         | Host: new record changed optional fields to required fields release",
        "Host | name: string             | name: string, r: string | Host: new record added required fields r",
        "HealthState   | Unhealthy       | Sick                    | HealthState/symbols: new enum removed symbols Unhealthy",
        "TicketRequest | reason: string  | ''                      | TicketRequest: new record removed required fields reason",
        "ErrorDetail   | line: optional int | line: optional string | ErrorDetail/line/string: schema type changed from int to string",
        "JobResult     | message: string | text: string            | JobResult: new record removed required fields message",
      })
  void findsASchemaThatBreaksCallers(String schema, String before, String after, String fault)
      throws IOException {
    assertThat(faultsOfChange(schema, before, after))
        .anySatisfy(found -> assertThat(found).contains(fault, Contract.BREAK_COMMAND));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Host    | name: string | name: string, rack: optional string",
        "JobStep | Recover      | Recover, Cheer",
        "Host    | name: string | name: string",
      })
  void passesASchemaThatBreaksNobody(String schema, String before, String after)
      throws IOException {
    assertThat(faultsOfChange(schema, before, after)).isEmpty();
  }

  private List<String> faultsOfChange(String schema, String before, String after)
      throws IOException {
    Path changed = folder.resolve("pegasus");
    try (Stream<Path> files = Files.walk(OFFERED.pegasus())) {
      for (Path file : files.toList()) {
        Files.copy(file, changed.resolve(OFFERED.pegasus().relativize(file).toString()));
      }
    }
    Path file = changed.resolve("dev/drydock/api/" + schema + ".pdl");
    String text = Files.readString(file);
    Pattern line = Pattern.compile("(?m)^  " + Pattern.quote(before) + "$");
    assertThat(text).containsPattern(line);
    Files.writeString(file, line.matcher(text).replaceFirst("  " + after));
    Exporter recorded = berths("Recorded");
    return faults(recorded, new Exporter(recorded.resources(), changed));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "WithoutGet       | get",
        "WithoutFinder    | harbour",
        "WithoutAction    | moor",
        "RenamedParameter | harbour",
        "RetypedParameter | count",
      })
  void findsAResourceThatBreaksCallers(String version, String named) throws IOException {
    assertThat(faults(berths("Recorded"), berths(version)))
        .anySatisfy(found -> assertThat(found).contains("berths", named, Contract.BREAK_COMMAND));
  }

  @Test
  void passesAResourceThatOnlyGrew() throws IOException {
    assertThat(faults(berths("Recorded"), berths("Grown"))).isEmpty();
  }

  @Test
  void findsAResourceThatIsGoneAndOneThatIsNotRecorded() throws IOException {
    assertThat(faults(berths("Recorded", "Quays"), berths("Recorded")))
        .singleElement()
        .asString()
        .contains("dev.drydock.api.quays", "removed", Contract.BREAK_COMMAND);
    assertThat(faults(berths("Recorded"), berths("Recorded", "Quays")))
        .singleElement()
        .asString()
        .contains("dev.drydock.api.quays", Contract.RECORD_COMMAND);
  }

  @Test
  void recordsWhatBreaksCallersOnlyWhenTold() throws IOException {
    Contract contract = new Contract(folder.resolve("recorded"));
    berths("Recorded").write(folder.resolve("first"));
    assertThat(contract.record(folder.resolve("first"), false)).isEmpty();
    assertThat(contract.faults(folder.resolve("first"))).isEmpty();

    berths("WithoutGet").write(folder.resolve("second"));
    assertThat(contract.record(folder.resolve("second"), false)).isNotEmpty();
    assertThat(contract.faults(folder.resolve("second"))).isNotEmpty();

    assertThat(contract.record(folder.resolve("second"), true)).isNotEmpty();
    assertThat(contract.faults(folder.resolve("second"))).isEmpty();
  }

  private List<String> faults(Exporter recorded, Exporter offered) throws IOException {
    Path before = Files.createTempDirectory(folder, "recorded");
    Path now = Files.createTempDirectory(folder, "offered");
    recorded.write(before);
    offered.write(now);
    return new Contract(before).faults(now);
  }

  private static Exporter berths(String... versions) {
    List<Class<?>> classes = new ArrayList<>();
    for (Class<?> planted : Berths.class.getDeclaredClasses()) {
      if (List.of(versions).contains(planted.getSimpleName())) {
        classes.add(planted);
      }
    }
    return new Exporter(classes, OFFERED.pegasus());
  }
}
