package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.SshAccess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs commands on hosts with the system's {@code ssh}. It verifies the certificate of a host's key
 * against the authorities in the known hosts, under the host's name. Connections are not shared: a
 * shared one outlives the reboot of its host and hangs. Thread-safe.
 */
final class Ssh {
  /** What a command left behind. */
  record Ran(int code, String out, String err) {
    boolean isConnectionFailure() {
      return code == LOST;
    }
  }

  /** ssh's own exit code for "could not connect" and "connection lost". */
  private static final int LOST = 255;

  private static final int FAILED = 1;

  /**
   * What is sent to a host.
   *
   * @param sent runs as soon as nothing keeps the command from reaching the host
   */
  record Sending(String command, byte[] input, Runnable sent) {}

  private static final int OUTPUT_LIMIT_BYTES = 1 << 20;

  private final SshAccess access;

  /**
   * Key exchanges cost processor time; more at once would only make all of them late. In their
   * order, so that hosts that do not answer keep nobody waiting for long.
   */
  private final Semaphore atOnce = new Semaphore(8, true);

  Ssh(SshAccess access) {
    this.access = access;
  }

  Ran run(FixedHost host, Duration timeout, String command, byte[] input)
      throws HostException, InterruptedException {
    return run(host, timeout, new Sending(command, input, () -> {}));
  }

  /**
   * Runs a command of the host's shell. Killing the local ssh at the time-out does not stop it
   * there.
   */
  Ran run(FixedHost host, Duration timeout, Sending sending)
      throws HostException, InterruptedException {
    atOnce.acquire();
    try {
      return start(host, timeout, sending);
    } catch (IOException e) {
      throw new HostException(
          HostException.Kind.UNREACHABLE, host.name() + ": ssh cannot be run: " + e.getMessage());
    } finally {
      atOnce.release();
    }
  }

  private Ran start(FixedHost host, Duration timeout, Sending sending)
      throws IOException, InterruptedException {
    OutputFrame outputFrame = OutputFrame.fresh();
    Process process =
        new ProcessBuilder(arguments(host, outputFrame.around(sending.command()))).start();
    try {
      Collected out = new Collected(process.getInputStream());
      Collected err = new Collected(process.getErrorStream());
      try (OutputStream in = process.getOutputStream()) {
        in.write(sending.input());
      } catch (IOException e) {
        // It ended without reading its input; its exit code says why.
      }
      sending.sent().run();
      if (!process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
        return new Ran(LOST, "", "no answer within " + timeout.toSeconds() + " s");
      }
      return framed(outputFrame.open(out.text()), process.exitValue(), err.text());
    } finally {
      process.destroyForcibly();
    }
  }

  /**
   * A code without an answer is that of ssh, or of a shell that did something else than it was
   * told.
   */
  private static Ran framed(Optional<String> answer, int code, String err) {
    return answer
        .map(out -> new Ran(code == LOST ? FAILED : code, out, err))
        .orElseGet(
            () -> new Ran(LOST, "", err.isBlank() ? "its shell ended before it answered" : err));
  }

  private List<String> arguments(FixedHost host, String command) {
    List<String> arguments =
        new ArrayList<>(List.of("ssh", "-F", "/dev/null", "-T", "-i", access.keyFile().toString()));
    for (String option :
        List.of(
            "BatchMode=yes",
            "IdentitiesOnly=yes",
            "PreferredAuthentications=publickey",
            "StrictHostKeyChecking=yes",
            "UserKnownHostsFile=" + access.knownHostsFile(),
            "GlobalKnownHostsFile=/dev/null",
            "HostKeyAlias=" + host.name(),
            "ConnectTimeout=5",
            "ServerAliveInterval=3",
            "ServerAliveCountMax=3",
            "ForwardAgent=no",
            "LogLevel=ERROR")) {
      arguments.add("-o");
      arguments.add(option);
    }
    arguments.addAll(List.of("-l", access.user(), "--", host.address(), command));
    return arguments;
  }

  /** Reads a stream to its end in a thread of its own, keeping the first part. */
  private static final class Collected {
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final Thread reader;

    Collected(InputStream from) {
      this.reader = Thread.ofVirtual().start(() -> collect(from));
    }

    private void collect(InputStream from) {
      byte[] buffer = new byte[8192];
      try (from) {
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
          kept.write(buffer, 0, Math.min(read, OUTPUT_LIMIT_BYTES - kept.size()));
        }
      } catch (IOException e) {
        // The process was ended at its time-out: what was kept is all there is.
      }
    }

    String text() throws InterruptedException {
      reader.join(1000);
      return kept.toString(StandardCharsets.UTF_8);
    }
  }
}
