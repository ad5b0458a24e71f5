package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A list that changes while the adapter runs: one odd entry stops no other. */
final class AllocationWatchTest {
  @TempDir Path folder;
  private long changes;

  /** Of this many hosts with an instance each; what stands in {@code odd} is put in its place. */
  private static String list(int hosts, String... odd) {
    String text =
        IntStream.rangeClosed(1, hosts)
            .mapToObj(
                i ->
                    """
                    {"name":"h%d","address":"10.0.0.%d","hardwareClass":"standard","labels":{},"zones":{}}"""
                        .formatted(i, i))
            .toList()
            .toString();
    String instances =
        IntStream.rangeClosed(1, hosts)
            .mapToObj(
                i ->
                    """
                    {"id":"web@h%d","application":"web","host":"h%d","port":80,"healthPath":"/h%d","service":"web","zone":"z1"}"""
                        .formatted(i, i, i))
            .toList()
            .toString();
    String all =
        """
        {"scheduler":"static","source":"static","ssh":{"user":"root","keyFile":"/k","knownHostsFile":"/h"},
         "rotation":{"kind":"haproxy","address":"127.0.0.1:9999"},"hosts":%s,"instances":%s}
        """
            .formatted(text, instances);
    for (int i = 0; i < odd.length; i += 2) {
      assertThat(all).contains(odd[i]);
      all = all.replace(odd[i], odd[i + 1]);
    }
    return all;
  }

  private Path write(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("static.json"), text);
    return Files.setLastModifiedTime(file, FileTime.fromMillis(++changes * 10_000));
  }

  private static List<String> hosts(AllocationWatch watch) {
    return watch.get().hosts().stream().map(FixedHost::name).toList();
  }

  private static List<String> instances(AllocationWatch watch) {
    return watch.get().instances().stream().map(FixedInstance::id).toList();
  }

  @Test
  void aChangedListIsReadAnew() throws Exception {
    AllocationWatch watch = new AllocationWatch(write(list(2)));
    write(list(3));
    assertThat(hosts(watch)).containsExactly("h1", "h2", "h3");
    write(list(1));
    assertThat(instances(watch)).containsExactly("web@h1");
  }

  @Test
  void anOddNewEntryIsLeftOutWithWhatRunsThere() throws Exception {
    AllocationWatch watch = new AllocationWatch(write(list(2)));
    write(list(4, "10.0.0.3", "h_03", "\"/h4\"", "\"h4\""));
    assertThat(hosts(watch)).containsExactly("h1", "h2", "h4");
    assertThat(instances(watch)).containsExactly("web@h1", "web@h2");
  }

  /** Else a host that is worked on would vanish. */
  @Test
  void anEntryThatBecameOddStaysWhatItWas() throws Exception {
    AllocationWatch watch = new AllocationWatch(write(list(2)));
    write(list(3, "10.0.0.2", "h_02"));
    assertThat(watch.get().host("h2").map(FixedHost::address)).contains("10.0.0.2");
    assertThat(instances(watch)).containsExactly("web@h1", "web@h2", "web@h3");
  }

  @Test
  void aListThatIsWrongAsAWholeOrAwayChangesNothing() throws Exception {
    AllocationWatch watch = new AllocationWatch(write(list(2)));
    for (String wrong : List.of("{\"hosts\":", "", list(3).replace("\"/k\"", "\"/other\""))) {
      write(wrong);
      assertThat(hosts(watch)).as(wrong).containsExactly("h1", "h2");
    }
    Files.delete(folder.resolve("static.json"));
    assertThat(hosts(watch)).containsExactly("h1", "h2");
    write(list(3));
    assertThat(hosts(watch)).as("the control").containsExactly("h1", "h2", "h3");
  }

  @Test
  void atItsStartAnythingOddIsRefusedAndAllOfItNamed() throws Exception {
    Path file = write(list(3, "10.0.0.3", "h_03", "\"/h2\"", "\"h2\""));
    assertThatThrownBy(() -> new AllocationWatch(file))
        .hasMessageContaining("hosts[2].address")
        .hasMessageContaining("instances[1].healthPath");
  }
}
