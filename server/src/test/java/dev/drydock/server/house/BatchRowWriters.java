package dev.drydock.server.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Who may write the rows that say where a batch is. The interpreter writes them all, by what the
 * planner decides. Every other class may write only the tables that it is listed for. SQL is text
 * to the compiler, so sources are searched for it.
 */
final class BatchRowWriters {
  /** The package of the interpreter, as a folder of the orchestrator. */
  private static final String INTERPRETER = "batch/";

  private static final String TABLES =
      "grants|host_upgrades|jobs|checks|batch_hooks|decisions|remediations|remediation_steps";

  /** Also where the statement is put together from several literals. */
  private static final Pattern WRITE =
      Pattern.compile(
          "\\b(?:INSERT\\s+INTO|UPDATE|DELETE\\s+FROM|MERGE\\s+INTO|TRUNCATE(?:\\s+TABLE)?)"
              + "(?:\\s|\"|\\+)+(?:ONLY\\s+)?("
              + TABLES
              + ")\\b",
          Pattern.CASE_INSENSITIVE);

  /** What only looks like a write: the lock of rows that are read. */
  private static final Pattern LOCK = Pattern.compile("\\bFOR\\s+(?:NO\\s+KEY\\s+)?UPDATE\\b");

  /**
   * A class that may write besides the interpreter.
   *
   * @param file its path from the package of the orchestrator
   * @param why why the interpreter does not write it
   */
  record Writer(String file, Set<String> tables, String why) {}

  static final List<Writer> OTHERS =
      List.of(
          new Writer(
              "intake/RolloutIntake.java",
              Set.of("host_upgrades"),
              "a new rollout has its hosts; none of them is in a batch yet"),
          new Writer(
              "store/CandidateStore.java",
              Set.of("grants", "host_upgrades"),
              "a proposal is granted or void before there is a batch"),
          new Writer(
              "store/ProposedGrants.java",
              Set.of("grants", "host_upgrades"),
              "a proposal reserves its hosts before there is a batch"),
          new Writer(
              "preflight/PreflightOutcomes.java",
              Set.of("host_upgrades"),
              "a host is asked before it is in a batch, and ends there if it cannot be updated"),
          new Writer(
              "preflight/PreflightRows.java",
              Set.of("host_upgrades"),
              "a host in no batch says that it is asked"),
          new Writer(
              "preflight/PreflightSweep.java",
              Set.of("host_upgrades"),
              "hosts in no batch say why they wait to be asked, and keep their place"),
          new Writer(
              "control/HostReturns.java",
              Set.of("grants", "host_upgrades"),
              "a quarantined host is in no batch until people bring it back by a new one"),
          new Writer(
              "control/HostWriteOffs.java",
              Set.of("host_upgrades"),
              "a host that is written off leaves the rollouts in which it is in no batch"),
          new Writer(
              "store/SupersededHosts.java",
              Set.of("host_upgrades"),
              "hosts that another rollout brought further end before they are in a batch"),
          new Writer(
              "store/ImpoundStore.java",
              Set.of("grants"),
              "the revision of a hold follows the locks in etcd"),
          new Writer(
              "store/GrantStore.java",
              Set.of("grants"),
              "a lost run is noted; what becomes of its batch is decided after that"),
          new Writer(
              "store/CheckStore.java",
              Set.of("grants", "checks"),
              "the grantor answers checks, and asks anew for one that is too old to drain by"),
          new Writer(
              "store/CanaryGates.java",
              Set.of("host_upgrades"),
              "hosts wait for canaries before they are in a batch"),
          new Writer(
              "store/CohortHalts.java",
              Set.of("host_upgrades"),
              "hosts wait for a halt to end before they are in a batch"),
          new Writer(
              "store/ZoneClosure.java",
              Set.of("host_upgrades"),
              "hosts wait for a zone before they are in a batch"),
          new Writer(
              "store/RolloutLifecycle.java",
              Set.of("host_upgrades"),
              "hosts that are in no batch end with their rollout"),
          new Writer(
              "store/BatchHosts.java",
              Set.of("host_upgrades"),
              "says on a host what the interpreter, a check or an answer of people is about"),
          new Writer(
              "control/HostChanges.java",
              Set.of("host_upgrades"),
              "people cancel hosts that are in no batch"),
          new Writer(
              "activity/PausedPlaces.java",
              Set.of("host_upgrades"),
              "hosts of a paused rollout keep their place in the queue"),
          new Writer(
              "activity/BrokenBatch.java",
              Set.of("grants", "jobs"),
              "people break a hold: nothing of its batch is given out from that moment on"),
          new Writer("jobs/Claims.java", Set.of("jobs"), "a consumer takes a job"),
          new Writer(
              "jobs/Completions.java",
              Set.of("jobs", "host_upgrades"),
              "a consumer ends a job, and tells what the next steps are told"),
          new Writer(
              "jobs/Deadlines.java",
              Set.of("jobs"),
              "jobs get their whole time anew after a recovery"),
          new Writer(
              "jobs/ClaimExpiry.java", Set.of("jobs"), "the time of a job or of its claim is over"),
          new Writer("jobs/HookAnswer.java", Set.of("batch_hooks"), "a hook keeps its state"),
          new Writer(
              "jobs/JobBoard.java",
              Set.of("jobs", "host_upgrades"),
              "a consumer renews its claim, and tells facts and progress"),
          new Writer("jobs/DrainProgress.java", Set.of("jobs"), "a drain tells how much is left"),
          new Writer(
              "recovery/ReconciledRows.java",
              Set.of("grants", "host_upgrades"),
              "a restore makes rows agree with the locks before anything is decided"),
          new Writer(
              "watchdog/OverdueRows.java",
              Set.of("host_upgrades"),
              "a host stops saying that its phase is late"));

  private BatchRowWriters() {}

  /**
   * A statement that writes a table.
   *
   * @param file as in {@link Writer}
   */
  record Write(String file, int line, String table) {

    boolean allowed() {
      return file.startsWith(INTERPRETER)
          || OTHERS.stream()
              .anyMatch(one -> one.file().equals(file) && one.tables().contains(table));
    }

    @Override
    public String toString() {
      return "%s:%d writes %s".formatted(file, line, table);
    }
  }

  /** All statements in the sources of a folder. */
  static List<Write> in(Path root) {
    List<Write> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".java")).sorted().toList()) {
        String name = root.relativize(file).toString().replace('\\', '/');
        found.addAll(in(name, Files.readString(file)));
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return found;
  }

  private static List<Write> in(String file, String source) {
    // As long as the text: lines stay where they are.
    String text = LOCK.matcher(source).replaceAll(lock -> lock.group().replace("UPDATE", "------"));
    List<Write> found = new ArrayList<>();
    Matcher write = WRITE.matcher(text);
    while (write.find()) {
      int line = 1 + (int) text.chars().limit(write.start()).filter(one -> one == '\n').count();
      found.add(new Write(file, line, write.group(1)));
    }
    return found;
  }

  /** What is listed but not written, such as {@code store/GrantStore.java: grants}. */
  static Set<String> needless(List<Write> writes) {
    Set<String> needless = new TreeSet<>();
    for (Writer writer : OTHERS) {
      for (String table : writer.tables()) {
        boolean written =
            writes.stream()
                .anyMatch(one -> one.file().equals(writer.file()) && one.table().equals(table));
        if (!written) {
          needless.add(writer.file() + ": " + table);
        }
      }
    }
    return needless;
  }
}
