package dev.drydock.adapter.fixed;

import dev.drydock.adapter.fixed.Allocation.FixedHost;
import dev.drydock.adapter.fixed.Allocation.FixedInstance;
import dev.drydock.adapter.fixed.Allocation.RotationAddress;
import dev.drydock.adapter.fixed.Allocation.SshAccess;
import dev.drydock.proto.InvalidRecordException;
import dev.drydock.proto.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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

  private AllocationFile() {}

  static Allocation read(Path file) throws Faulty {
    try {
      return parse(Files.readString(file));
    } catch (IOException e) {
      throw new Faulty(List.of("cannot be read: " + e.getMessage()));
    }
  }

  static Allocation parse(String json) throws Faulty {
    List<String> faults = new ArrayList<>();
    try {
      Allocation allocation = read(new Fields("", Json.readTree(json), faults));
      checkReferences(allocation, faults);
      if (faults.isEmpty()) {
        return allocation;
      }
    } catch (InvalidRecordException e) {
      faults.add(e.getMessage());
    }
    throw new Faulty(faults);
  }

  private static Allocation read(Fields root) {
    Fields ssh = root.object("ssh");
    SshAccess access =
        new SshAccess(
            ssh.text("user"), Path.of(ssh.text("keyFile")), Path.of(ssh.text("knownHostsFile")));
    ssh.noMore();
    Allocation allocation =
        new Allocation(
            root.text("scheduler"),
            root.text("source"),
            access,
            rotation(root.object("rotation")),
            root.objects("hosts").stream().map(AllocationFile::host).toList(),
            root.objects("instances").stream().map(AllocationFile::instance).toList());
    root.noMore();
    return allocation;
  }

  private static RotationAddress rotation(Fields fields) {
    String kind = fields.text("kind");
    String address = fields.text("address");
    fields.noMore();
    if (!kind.isEmpty() && !kind.equals("haproxy")) {
      fields.fault("kind", "must be haproxy, not " + kind);
    }
    int colon = address.lastIndexOf(':');
    if (colon > 0 && address.substring(colon + 1).matches("\\d{1,5}")) {
      return new RotationAddress(
          kind, address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }
    fields.fault("address", "must be HOST:PORT");
    return new RotationAddress(kind, "", 0);
  }

  private static FixedHost host(Fields fields) {
    FixedHost host =
        new FixedHost(
            fields.text("name"),
            fields.text("address"),
            fields.text("hardwareClass"),
            fields.texts("labels"),
            fields.texts("zones"));
    fields.noMore();
    return host;
  }

  private static FixedInstance instance(Fields fields) {
    FixedInstance instance =
        new FixedInstance(
            fields.text("id"),
            fields.text("application"),
            fields.text("host"),
            fields.port("port"),
            fields.text("healthPath"),
            fields.text("service"),
            fields.text("zone"),
            fields.whole("capacity", 1, CAPACITY_MAX),
            fields.text("run", ""));
    fields.noMore();
    return instance;
  }

  private static void checkReferences(Allocation allocation, List<String> faults) {
    Set<String> hosts = new HashSet<>();
    for (int i = 0; i < allocation.hosts().size(); i++) {
      if (!hosts.add(allocation.hosts().get(i).name())) {
        faults.add(
            "hosts[" + i + "].name: " + allocation.hosts().get(i).name() + " is listed twice");
      }
    }
    Set<String> ids = new HashSet<>();
    for (int i = 0; i < allocation.instances().size(); i++) {
      FixedInstance instance = allocation.instances().get(i);
      if (!ids.add(instance.id())) {
        faults.add("instances[" + i + "].id: " + instance.id() + " is listed twice");
      }
      if (!hosts.contains(instance.host())) {
        faults.add(
            "instances[" + i + "].host: there is no host " + instance.host() + " in this list");
      }
    }
  }
}
