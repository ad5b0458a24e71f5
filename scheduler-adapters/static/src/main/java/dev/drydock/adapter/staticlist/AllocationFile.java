package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.Allocation.RotationAddress;
import dev.drydock.adapter.staticlist.Allocation.SshAccess;
import dev.drydock.adapter.staticlist.JsonFields.Entry;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the allocation list and names everything that is wrong with it. */
final class AllocationFile {
  /** The list cannot be used. */
  static final class Faulty extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> faults;

    Faulty(List<String> faults) {
      super(String.join("; ", faults));
      this.faults = List.copyOf(faults);
    }

    List<String> faults() {
      return faults;
    }
  }

  /** What the server takes of an instance. */
  private static final int CAPACITY_MAX = 10_000;

  /** It goes into commands of a shell and of the balancer. */
  private static final Predicate<String> NAME =
      Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,252}").asMatchPredicate();

  private static final String A_NAME = "a name of letters, digits, '.', '_', '+' and '-'";

  /** A line of the cordon of a host each. */
  private static final Predicate<String> ID =
      Pattern.compile("[^\\s\\p{Cntrl}]{1,200}").asMatchPredicate();

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private AllocationFile() {}

  static Allocation read(Path file) throws Faulty {
    return parse(text(file));
  }

  static String text(Path file) throws Faulty {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new Faulty(List.of("cannot be read: " + e.getMessage()));
    }
  }

  /** All of it, or all that is wrong with it. */
  static Allocation parse(String json) throws Faulty {
    Parsed parsed = parsed(json);
    List<String> faults = Stream.concat(parsed.faults().stream(), parsed.odd()).toList();
    if (!faults.isEmpty()) {
      throw new Faulty(faults);
    }
    return parsed.usable();
  }

  /**
   * A list that has changed. An entry that nobody can use stays as it is known, or is left out.
   *
   * @param odd gets what is wrong with those
   * @throws Faulty if more than entries is wrong
   */
  static Allocation parseUsable(String json, Allocation known, List<String> odd) throws Faulty {
    Parsed parsed = parsed(json);
    if (!parsed.faults().isEmpty()) {
      throw new Faulty(parsed.faults());
    }
    parsed.odd().forEach(odd::add);
    return parsed.usableOr(known);
  }

  private static Parsed parsed(String json) throws Faulty {
    List<String> faults = new ArrayList<>();
    try {
      String text = json.startsWith(BYTE_ORDER_MARK) ? json.substring(1) : json;
      return read(new JsonFields("", Json.readTree(text), faults), faults);
    } catch (InvalidRecordException e) {
      throw new Faulty(List.of(String.valueOf(e.getMessage())));
    }
  }

  private static Parsed read(JsonFields root, List<String> faults) {
    JsonFields ssh = root.object("ssh");
    SshAccess access =
        new SshAccess(
            ssh.text("user"), Path.of(ssh.text("keyFile")), Path.of(ssh.text("knownHostsFile")));
    ssh.noMore();
    Allocation empty =
        new Allocation(
            root.text("scheduler", NAME, A_NAME),
            root.text("source", NAME, A_NAME),
            access,
            rotation(root.object("rotation")),
            List.of(),
            List.of());
    List<Entry<FixedHost>> hosts = root.entries("hosts", AllocationFile::host);
    List<Entry<FixedInstance>> instances = root.entries("instances", AllocationFile::instance);
    root.noMore();
    checkReferences(hosts, instances);
    return new Parsed(empty, faults, hosts, instances);
  }

  private static RotationAddress rotation(JsonFields jsonFields) {
    String kind = jsonFields.text("kind");
    String address = jsonFields.text("address");
    jsonFields.noMore();
    if (!kind.isEmpty() && !kind.equals("haproxy")) {
      jsonFields.fault("kind", "must be haproxy, not " + kind);
    }
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, Math.max(0, colon));
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (colon > 0
        && (bracketed || host.indexOf(':') < 0)
        && address.substring(colon + 1).matches("\\d{1,5}")) {
      return new RotationAddress(kind, host, Integer.parseInt(address.substring(colon + 1)));
    }
    jsonFields.fault("address", "must be HOST:PORT");
    return new RotationAddress(kind, "", 0);
  }

  private static FixedHost host(JsonFields jsonFields) {
    FixedHost host =
        new FixedHost(
            jsonFields.text("name", NAME, A_NAME),
            jsonFields.text("address", Addresses::isUsable, "an IP address or the name of a host"),
            jsonFields.text("hardwareClass"),
            jsonFields.texts("labels"),
            jsonFields.texts("zones"));
    jsonFields.noMore();
    return host;
  }

  private static FixedInstance instance(JsonFields jsonFields) {
    FixedInstance instance =
        new FixedInstance(
            jsonFields.text("id", ID, "one word"),
            jsonFields.text("application", NAME, A_NAME),
            jsonFields.text("host"),
            jsonFields.port("port"),
            jsonFields.text("healthPath", Addresses::isPath, "a path that begins with /"),
            jsonFields.text("service", NAME, A_NAME),
            jsonFields.text("zone"),
            jsonFields.whole("capacity", 1, CAPACITY_MAX),
            jsonFields.text("run", ""));
    jsonFields.noMore();
    return instance;
  }

  private static void checkReferences(
      List<Entry<FixedHost>> hosts, List<Entry<FixedInstance>> instances) {
    Set<String> names = new HashSet<>();
    for (Entry<FixedHost> host : hosts) {
      if (!names.add(host.value().name())) {
        host.faults().add(host.path() + ".name: " + host.value().name() + " is listed twice");
      }
    }
    Set<String> ids = new HashSet<>();
    for (Entry<FixedInstance> entry : instances) {
      FixedInstance instance = entry.value();
      if (!ids.add(instance.id())) {
        entry.faults().add(entry.path() + ".id: " + instance.id() + " is listed twice");
      }
      if (!names.contains(instance.host())) {
        entry
            .faults()
            .add(entry.path() + ".host: there is no host " + instance.host() + " in this list");
      }
    }
  }

  /**
   * What was read.
   *
   * @param empty the list without its entries
   * @param faults what is wrong with all of it
   */
  private record Parsed(
      Allocation empty,
      List<String> faults,
      List<Entry<FixedHost>> hosts,
      List<Entry<FixedInstance>> instances) {
    Stream<String> odd() {
      return Stream.<Entry<?>>concat(hosts.stream(), instances.stream())
          .flatMap(entry -> entry.faults().stream());
    }

    Allocation usable() {
      return usableOr(empty);
    }

    Allocation usableOr(Allocation known) {
      Map<String, FixedHost> listed = new LinkedHashMap<>();
      usable(hosts, odd -> known.host(odd.name()))
          .forEach(host -> listed.putIfAbsent(host.name(), host));
      Map<String, FixedInstance> placed = new LinkedHashMap<>();
      usable(instances, odd -> known.instance(odd.id()))
          .filter(instance -> listed.containsKey(instance.host()))
          .forEach(instance -> placed.putIfAbsent(instance.id(), instance));
      return new Allocation(
          empty.scheduler(),
          empty.source(),
          empty.ssh(),
          empty.rotation(),
          List.copyOf(listed.values()),
          List.copyOf(placed.values()));
    }

    private static <T> Stream<T> usable(
        List<Entry<T>> entries, Function<T, Optional<T>> otherwise) {
      return entries.stream()
          .flatMap(
              entry ->
                  entry.faults().isEmpty()
                      ? Stream.of(entry.value())
                      : otherwise.apply(entry.value()).stream());
    }
  }
}
