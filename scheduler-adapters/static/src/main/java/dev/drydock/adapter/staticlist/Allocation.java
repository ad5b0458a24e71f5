package dev.drydock.adapter.staticlist;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The allocation list: which instances belong on which host, and how to reach them, their hosts and
 * their rotation.
 */
record Allocation(
    String scheduler,
    String source,
    SshAccess ssh,
    RotationAddress rotation,
    List<FixedHost> hosts,
    List<FixedInstance> instances) {

  /**
   * How hosts are reached. Only hosts with a certificate of an authority in the known hosts are
   * talked to.
   */
  record SshAccess(String user, Path keyFile, Path knownHostsFile) {}

  record RotationAddress(String kind, String host, int port) {}

  /**
   * @param zones the fault zone of each application on this host
   */
  record FixedHost(
      String name,
      String address,
      String hardwareClass,
      Map<String, String> labels,
      Map<String, String> zones) {}

  /**
   * @param service name of the service that keeps it, for {@code sv}
   * @param capacity how much it counts in rules about capacity, in units of its team
   * @param run the program of its service, as runit runs it: what is deployed where the host has no
   *     such service. Empty where the list does not say.
   */
  record FixedInstance(
      String id,
      String application,
      String host,
      int port,
      String healthPath,
      String service,
      String zone,
      int capacity,
      String run) {}

  Optional<FixedHost> host(String name) {
    return hosts.stream().filter(host -> host.name().equals(name)).findFirst();
  }

  Optional<FixedInstance> instance(String id) {
    return instances.stream().filter(instance -> instance.id().equals(id)).findFirst();
  }

  /** Whether what is listed is reached, and told of, as in another list. */
  boolean isReachedLike(Allocation other) {
    return scheduler.equals(other.scheduler)
        && source.equals(other.source)
        && ssh.equals(other.ssh)
        && rotation.equals(other.rotation);
  }

  List<FixedInstance> on(String host) {
    return instances.stream().filter(instance -> instance.host().equals(host)).toList();
  }
}
