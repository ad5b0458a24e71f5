package dev.drydock.platform.identity;

import dev.drydock.platform.config.ConfigException;
import dev.drydock.platform.config.ConfigFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of principals and tokens, read again when it changes. A change that cannot be read is
 * logged and the principals of before stay. Safe for use by many threads.
 */
public final class TokenFile implements Authenticator {
  private static final Logger log = LoggerFactory.getLogger(TokenFile.class);
  private static final int TOKEN_LENGTH_MIN = 16;

  private final Path file;
  private volatile Loaded loaded;

  private record Loaded(FileTime modified, Tokens tokens) {}

  /**
   * Reads the file.
   *
   * @throws ConfigException with all faults, among them a file others than its owner can read
   */
  public TokenFile(Path file) {
    this.file = file;
    this.loaded = new Loaded(modified(file), read(file));
  }

  @Override
  public Optional<Principal> authenticate(String token) {
    refresh();
    return loaded.tokens().authenticate(token);
  }

  private void refresh() {
    try {
      FileTime modified = modified(file);
      if (!modified.equals(loaded.modified())) {
        loaded = new Loaded(modified, read(file));
        log.info("read the changed principals in {}", file);
      }
    } catch (ConfigException unreadable) {
      log.error("keeping the principals of before: {}", unreadable.getMessage());
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException unreadable) {
      throw new ConfigException(file, List.of("cannot be read (" + unreadable + ")"));
    }
  }

  private static Tokens read(Path file) {
    refuseReadableByOthers(file);
    ConfigFields configFields = ConfigFields.of(file);
    Map<String, Principal> principals = new HashMap<>();
    Set<String> names = new HashSet<>();
    for (ConfigFields entry : configFields.sections("principals")) {
      Principal principal = principal(entry);
      String token = entry.text("token");
      if (token.length() < TOKEN_LENGTH_MIN) {
        entry.fault("token", "is shorter than " + TOKEN_LENGTH_MIN + " characters");
      }
      if (!names.add(principal.name())) {
        entry.fault("name", "is " + principal.name() + ", which is listed twice");
      }
      if (principals.put(token, principal) != null) {
        entry.fault("token", "is the token of another principal");
      }
    }
    configFields.finish();
    return new Tokens(principals);
  }

  private static Principal principal(ConfigFields entry) {
    String word = entry.text("role");
    Optional<Role> role = Role.ofWord(word);
    if (role.isEmpty() && !word.isBlank()) {
      entry.fault(
          "role", "is " + word + ", must be one of viewer, operator, owner, consumer, admin");
    }
    String advisory = entry.optionalText("advisory").orElse("false");
    if (!advisory.equals("true") && !advisory.equals("false")) {
      entry.fault("advisory", "is " + advisory + ", must be true or false");
    }
    List<String> topics = entry.has("topics") ? entry.texts("topics") : List.of();
    return new Principal(
        entry.text("name"),
        entry.text("team"),
        role.orElse(Role.VIEWER),
        Set.copyOf(topics),
        advisory.equals("true"));
  }

  private static void refuseReadableByOthers(Path file) {
    try {
      Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(file);
      String text = PosixFilePermissions.toString(permissions);
      if (!text.endsWith("------")) {
        throw new ConfigException(
            file, List.of("holds secrets and has mode " + text + ": run chmod 600 on it"));
      }
    } catch (IOException unreadable) {
      throw new ConfigException(file, List.of("cannot be read (" + unreadable + ")"));
    }
  }
}
