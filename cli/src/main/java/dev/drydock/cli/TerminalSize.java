package dev.drydock.cli;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Rows and columns of the terminal. */
record TerminalSize(int rows, int columns) {
  private static final TerminalSize USUAL = new TerminalSize(24, 80);

  /** As stty tells it; the usual size when it cannot be told. */
  static TerminalSize read() {
    try {
      Process stty = new ProcessBuilder("stty", "size").redirectInput(new File("/dev/tty")).start();
      if (!stty.waitFor(1, TimeUnit.SECONDS)) {
        stty.destroyForcibly();
        return USUAL;
      }
      return parse(new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
    } catch (IOException e) {
      return USUAL;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return USUAL;
    }
  }

  static TerminalSize parse(String text) {
    if (!text.strip().matches("[1-9]\\d{0,3} [1-9]\\d{0,3}")) {
      return USUAL;
    }
    String[] parts = text.strip().split(" ", -1);
    return new TerminalSize(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
  }
}
