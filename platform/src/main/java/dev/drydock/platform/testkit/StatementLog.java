package dev.drydock.platform.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Jdbi;

/**
 * The statements of one program as PostgreSQL itself wrote them into its log, which it does before
 * it executes them.
 */
public final class StatementLog {
  /** A statement of several lines goes on after a tab. */
  private static final Pattern ENTRY =
      Pattern.compile(
          "(?m)^\\d{4}-\\S+ \\S+ UTC \\[(\\d+)\\] LOG:  (?:execute [^:]+|statement): (.*(?:\\R\\t.*)*)");

  private final Path file;
  private final Jdbi jdbi;
  private final String application;
  private long read;

  /** From the end of the file as it is now. */
  StatementLog(Path file, Jdbi jdbi, String application) {
    this.file = file;
    this.jdbi = jdbi;
    this.application = application;
    try {
      this.read = Files.size(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(file + " cannot be read", unreadable);
    }
  }

  /** Those executed since the last call, in one line each, without what frames a transaction. */
  public List<String> statements() {
    Set<String> ours = Set.copyOf(processes());
    String grown;
    try (FileChannel log = FileChannel.open(file)) {
      log.position(read);
      byte[] bytes = Channels.newInputStream(log).readAllBytes();
      read += bytes.length;
      grown = new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(file + " cannot be read", unreadable);
    }
    return ENTRY
        .matcher(grown)
        .results()
        .filter(entry -> ours.contains(entry.group(1)))
        .map(StatementLog::line)
        .filter(statement -> !statement.matches("(?i)(BEGIN|COMMIT|SET |SHOW |SELECT pid ).*"))
        .toList();
  }

  private static String line(MatchResult entry) {
    return entry.group(2).replaceAll("\\s+", " ").strip();
  }

  private List<String> processes() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery("SELECT pid FROM pg_stat_activity WHERE application_name = :name")
                .bind("name", application)
                .mapTo(String.class)
                .list());
  }
}
