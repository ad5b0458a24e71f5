package dev.drydock.adapter.staticlist;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The wrapper under which every effect runs on a host, and the shell commands that call it there.
 */
record Hostrun(String program, String sha256) {
  /** Exit codes of the wrapper. */
  static final int OLDER_TOKEN = 75;

  static final int BUSY = 76;
  static final int INTERRUPTED = 77;

  /**
   * Exit code of {@link #call}: this version of the wrapper is not on the host, install it first.
   */
  static final int MISSING = 113;

  static Hostrun load() {
    try (InputStream in = Hostrun.class.getResourceAsStream("/host/hostrun")) {
      if (in == null) {
        throw new IllegalStateException("host/hostrun is not on the class path");
      }
      byte[] program = in.readAllBytes();
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(program);
      return new Hostrun(
          new String(program, StandardCharsets.UTF_8), HexFormat.of().formatHex(hash));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where this version stands on a host. */
  String path() {
    return "/data/drydock/bin/hostrun-" + sha256.substring(0, 8);
  }

  /**
   * Runs the wrapper, and the rest of the script only when it succeeds. Its own output goes to
   * stderr.
   */
  String call(List<String> arguments, String rest) {
    String quoted = arguments.stream().map(Hostrun::quote).collect(Collectors.joining(" "));
    return "[ -x %1$s ] || exit %2$d; %1$s %3$s >&2 || exit; %4$s"
        .formatted(path(), MISSING, quoted, rest);
  }

  /** Reads the program from its input; whoever looks sees all of it or none. */
  String install() {
    return """
        set -e; umask 077; mkdir -p /data/drydock/bin; new=%1$s.$$; cat > "$new"
        [ "$(sha256sum < "$new")" = "%2$s  -" ] || { rm -f "$new"; echo 'the wrapper arrived damaged' >&2; exit 74; }
        chmod 700 "$new"; sync "$new"; mv "$new" %1$s"""
        .formatted(path(), sha256);
  }

  static String quote(String word) {
    return word.matches("[A-Za-z0-9@%+=:,./_-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
  }
}
