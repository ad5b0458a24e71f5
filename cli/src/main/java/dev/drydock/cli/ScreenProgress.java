package dev.drydock.cli;

import dev.drydock.api.HostUpgrade;
import dev.drydock.api.HostUpgradeState;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A progress bar and a line per host, drawn again in place. */
final class ScreenProgress implements ProgressView {
  private static final int BAR = 30;

  private final PrintWriter out;
  private final InstantSource clock;
  private final TerminalSize size;
  private int drawn;

  ScreenProgress(PrintWriter out, InstantSource clock, TerminalSize size) {
    this.out = out;
    this.clock = clock;
    this.size = size;
  }

  @Override
  public void show(RolloutSnapshot now) {
    List<String> lines = lines(now);
    StringBuilder text = new StringBuilder();
    if (drawn > 0) {
      text.append("\u001b[").append(drawn).append('A');
    }
    for (String line : lines) {
      text.append("\u001b[2K").append(TextFormat.fit(line, size.columns() - 1)).append('\n');
    }
    text.append("\u001b[J");
    drawn = lines.size();
    out.print(text);
    out.flush();
  }

  @Override
  public void end(RolloutSnapshot last) {
    out.println(last.summary());
    out.flush();
  }

  private List<String> lines(RolloutSnapshot now) {
    List<String> lines = new ArrayList<>();
    lines.add(head(now));
    List<HostUpgrade> hosts = new ArrayList<>(now.hosts());
    int room = Math.max(1, size.rows() - 4);
    if (hosts.size() > room) {
      hosts.sort(Comparator.comparingInt(host -> urgency(host.getState())));
    }
    hosts.stream().limit(room).forEach(host -> lines.add(line(host)));
    if (hosts.size() > room) {
      lines.add("  … and " + (hosts.size() - room) + " more hosts");
    }
    return lines;
  }

  private String head(RolloutSnapshot now) {
    int all = Math.max(1, now.rollout().getHostCount());
    int full = BAR * now.done() / all;
    Long ended = now.rollout().getEndedAt();
    long end = ended == null ? clock.millis() : ended;
    return String.format(
        "%s → release %s [%s%s] %d/%d  %d in progress, %d waiting  %s",
        now.rollout().getId(),
        now.rollout().getRelease(),
        "#".repeat(full),
        ".".repeat(BAR - full),
        now.done(),
        now.rollout().getHostCount(),
        now.rollout().getInProgress(),
        now.rollout().getPending(),
        TextFormat.duration(end - now.rollout().getCreatedAt()));
  }

  private static String line(HostUpgrade host) {
    return String.format(
        "  %s %-12s %-11s %-8s %s",
        glyph(host.getState()),
        host.getHost(),
        host.getState(),
        TableViews.step(host),
        host.getReason());
  }

  private static char glyph(HostUpgradeState state) {
    return switch (state) {
      case Pending -> '·';
      case InProgress -> '>';
      case Upgraded, Skipped -> '+';
      case Reverted, Cancelled -> '-';
      case Quarantined -> '!';
      case $UNKNOWN -> '?';
    };
  }

  private static int urgency(HostUpgradeState state) {
    return switch (state) {
      case Quarantined, Reverted, Cancelled, $UNKNOWN -> 0;
      case InProgress -> 1;
      case Pending -> 2;
      case Upgraded, Skipped -> 3;
    };
  }
}
