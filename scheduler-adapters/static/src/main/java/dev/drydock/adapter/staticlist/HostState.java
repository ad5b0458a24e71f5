package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A host as it was just read.
 *
 * @param services state of each service of the host, by name
 * @param cordon set while the host is cordoned
 * @param lifted the cordon that was lifted last
 */
record HostState(
    Map<String, Service> services, Optional<CordonMark> cordon, Optional<CordonMark> lifted) {
  enum Service {
    RUNS,
    STOPPED,
    /** Its supervisor does not answer. */
    UNKNOWN,
    /** The host has no such service, as after its operating system was installed anew. */
    ABSENT
  }

  Service service(String name) {
    return services.getOrDefault(name, Service.ABSENT);
  }

  /**
   * Not healthy already when this grant cordoned the host, by its cordon, also when an earlier
   * attempt lifted it. Without any, none is known to be.
   */
  List<FixedInstance> sickBefore(String grant, List<FixedInstance> instances) {
    return Stream.concat(cordon.stream(), lifted.stream())
        .filter(cordoned -> cordoned.grant().equals(grant))
        .findFirst()
        .map(
            cordoned -> instances.stream().filter(it -> cordoned.sick().contains(it.id())).toList())
        .orElse(List.of());
  }

  /** Prints what {@link #parse} reads. */
  static final String SCRIPT =
      """
      cd /etc/service || exit
      for service in *; do echo "listed $service"; done
      for service in /etc/service/*; do sv status "$service"; done 2>&1 | sed 's/^/service /'
      for file in cordon lifted; do
        [ ! -f /data/drydock/$file ] || sed "s/^/$file /" /data/drydock/$file
      done
      echo end
      """;

  /** Empty when the text is cut off, or the host cannot list its services. */
  static Optional<HostState> parse(String text) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.getLast().equals("end")) {
      return Optional.empty();
    }
    Map<String, Service> services = new LinkedHashMap<>();
    List<String> cordon = new ArrayList<>();
    List<String> lifted = new ArrayList<>();
    for (String line : lines) {
      if (line.startsWith("listed ")) {
        services.putIfAbsent(line.substring("listed ".length()), Service.UNKNOWN);
      } else if (line.startsWith("service ")) {
        addService(line.substring("service ".length()), services);
      } else if (line.startsWith("cordon ")) {
        cordon.add(line.substring("cordon ".length()));
      } else if (line.startsWith("lifted ")) {
        lifted.add(line.substring("lifted ".length()));
      }
    }
    return Optional.of(
        new HostState(Map.copyOf(services), CordonMark.parse(cordon), CordonMark.parse(lifted)));
  }

  /** Such as {@code run: /etc/service/web: (pid 75) 12s, want down}. */
  private static void addService(String line, Map<String, Service> services) {
    String[] words = line.split(": ", 3);
    if (words.length < 2) {
      return;
    }
    String name = words[1].substring(words[1].lastIndexOf('/') + 1);
    services.put(
        name,
        switch (words[0]) {
          case "run", "finish" -> Service.RUNS;
          case "down" -> Service.STOPPED;
          default -> Service.UNKNOWN;
        });
  }
}
