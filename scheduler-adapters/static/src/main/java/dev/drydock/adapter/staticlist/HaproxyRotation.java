package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rotation of HAProxy through its runtime interface: backend = application, server = host.
 * Thread-safe.
 */
final class HaproxyRotation implements Rotation {
  private static final int CONNECT_MILLIS = 1000;
  private static final int ANSWER_MILLIS = 2000;
  private static final int ANSWER_LIMIT_BYTES = 16 << 20;

  private final RotationAddress address;

  HaproxyRotation(RotationAddress address) {
    this.address = address;
  }

  @Override
  public Snapshot read() throws IOException {
    // -1 4 -1: all proxies, servers only, all of them.
    return parse(ask("show stat -1 4 -1", () -> {}));
  }

  @Override
  public Set<String> admitted() throws IOException {
    return parseAdmitted(ask("show servers state", () -> {}));
  }

  /**
   * The lines of "show servers state"; an administrative state of 0 is a server nobody keeps out.
   */
  static Set<String> parseAdmitted(String table) throws IOException {
    List<String> titles =
        table
            .lines()
            .filter(line -> line.startsWith("# be_id "))
            .findFirst()
            .map(line -> List.of(line.substring(2).split(" ")))
            .orElseThrow(() -> new IOException("the balancer told no states of its servers"));
    int backend = titles.indexOf("be_name");
    int server = titles.indexOf("srv_name");
    int state = titles.indexOf("srv_admin_state");
    Set<String> admitted = new HashSet<>();
    for (String line : table.lines().filter(it -> it.matches("\\d+ .*")).toList()) {
      String[] words = line.split(" ");
      if (words.length > state && number(words[state]) == 0) {
        admitted.add(Snapshot.key(words[backend], words[server]));
      }
    }
    return admitted;
  }

  @Override
  public void drain(FixedInstance instance, Lease lease) throws IOException {
    set(instance, "drain", lease);
  }

  @Override
  public void ready(FixedInstance instance, Lease lease) throws IOException {
    set(instance, "ready", lease);
  }

  private void set(FixedInstance instance, String state, Lease lease) throws IOException {
    String server = Snapshot.key(instance.application(), instance.host());
    String answer = ask("set server " + server + " state " + state, lease::requireLive).strip();
    if (!answer.isEmpty()) {
      throw new IOException(
          "the balancer refused to set " + server + " to " + state + ": " + answer);
    }
  }

  /**
   * The table of "show stat": a server serves when it is up with a weight; "UP", "no check" and
   * "DRAIN" are its words.
   */
  static Snapshot parse(String table) throws IOException {
    List<String> lines = table.lines().filter(line -> !line.isBlank()).toList();
    if (lines.isEmpty() || !lines.getFirst().startsWith("# pxname,")) {
      throw new IOException(
          "the balancer answered no table: " + table.lines().findFirst().orElse("nothing"));
    }
    List<String> titles = List.of(lines.getFirst().substring(2).split(",", -1));
    int[] at = {
      titles.indexOf("pxname"),
      titles.indexOf("svname"),
      titles.indexOf("qcur"),
      titles.indexOf("scur"),
      titles.indexOf("status"),
      titles.indexOf("weight")
    };
    Map<String, Place> places = new HashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      boolean up = cells[at[4]].startsWith("UP") || cells[at[4]].equals("no check");
      boolean serving = up && number(cells[at[5]]) > 0;
      places.put(
          Snapshot.key(cells[at[0]], cells[at[1]]),
          new Place(serving, number(cells[at[2]]) + number(cells[at[3]])));
    }
    return new Snapshot(Map.copyOf(places));
  }

  private static int number(String cell) throws IOException {
    if (!cell.matches("\\d{1,9}")) {
      throw new IOException("the balancer's table has '" + cell + "' where a number should be");
    }
    return Integer.parseInt(cell);
  }

  private String ask(String command, Runnable beforeSending) throws IOException {
    long end = System.nanoTime() + ANSWER_MILLIS * 1_000_000L;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address.host(), address.port()), CONNECT_MILLIS);
      socket.setSoTimeout(ANSWER_MILLIS);
      beforeSending.run();
      socket.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      InputStream in = socket.getInputStream();
      byte[] buffer = new byte[8192];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        answer.write(buffer, 0, read);
        if (System.nanoTime() > end || answer.size() > ANSWER_LIMIT_BYTES) {
          throw new SocketTimeoutException("its answer is too long or too slow");
        }
      }
      return answer.toString(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IOException(
          "the balancer at "
              + address.host()
              + ":"
              + address.port()
              + " does not answer '"
              + command
              + "': "
              + e.getMessage(),
          e);
    }
  }
}
