package dev.drydock.cli;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** One line per change, for logs and pipes. */
final class LineProgress implements ProgressView {
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

  private final PrintWriter out;
  private final Supplier<LocalTime> clock;
  private final Map<String, String> shown = new HashMap<>();

  LineProgress(PrintWriter out, Supplier<LocalTime> clock) {
    this.out = out;
    this.clock = clock;
  }

  @Override
  public void show(RolloutSnapshot now) {
    for (HostUpgrade host : now.hosts()) {
      String text = describe(host);
      String before = shown.put(host.getHost(), text);
      boolean waitsFromTheStart = before == null && host.getState() == HostUpgradeState.Pending;
      if (!text.equals(before) && !waitsFromTheStart) {
        out.println(
            clock.get().format(TIME)
                + " "
                + host.getHost()
                + " "
                + text
                + " ("
                + now.done()
                + "/"
                + now.rollout().getHostCount()
                + ")");
      }
    }
    out.flush();
  }

  @Override
  public void end(RolloutSnapshot last) {
    out.println(last.summary());
    out.flush();
  }

  /**
   * A waiting host's reason changes with every decision: only what is not waiting is told with its
   * reason.
   */
  private static String describe(HostUpgrade host) {
    String at = TableViews.step(host);
    String step = at.isEmpty() ? "" : " " + at;
    boolean tell =
        !host.getReason().isEmpty()
            && (host.getState() != HostUpgradeState.Pending || host.getGrant() != null);
    return host.getState() + step + (tell ? ": " + host.getReason() : "");
  }
}
