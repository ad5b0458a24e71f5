package dev.drydock.lock.soak;

import java.net.URI;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * Three etcd members, each in a container, from the image that the engine's set-up made ({@code
 * DRYDOCK_ETCD_IMAGE}).
 */
final class EtcdContainers implements AutoCloseable {
  private static final int MEMBERS = 3;

  private final Network network = Network.newNetwork();
  private final List<GenericContainer<?>> members;

  EtcdContainers(String image) {
    members =
        IntStream.rangeClosed(1, MEMBERS)
            .<GenericContainer<?>>mapToObj(i -> member(image, i))
            .toList();
    members.parallelStream().forEach(GenericContainer::start);
  }

  private GenericContainer<?> member(String image, int number) {
    String name = "m" + number;
    String peers =
        IntStream.rangeClosed(1, MEMBERS)
            .mapToObj(other -> "m" + other + "=http://m" + other + ":2380")
            .collect(Collectors.joining(","));
    return new GenericContainer<>(DockerImageName.parse(image))
        .withNetwork(network)
        .withNetworkAliases(name)
        .withExposedPorts(2379)
        .withCommand(
            "--name=" + name,
            "--data-dir=/data",
            "--listen-client-urls=http://0.0.0.0:2379",
            "--advertise-client-urls=http://" + name + ":2379",
            "--listen-peer-urls=http://0.0.0.0:2380",
            "--initial-advertise-peer-urls=http://" + name + ":2380",
            "--initial-cluster=" + peers,
            "--max-txn-ops=4096")
        .waitingFor(Wait.forHttp("/health").forPort(2379));
  }

  List<URI> endpoints() {
    return members.stream()
        .map(member -> URI.create("http://" + member.getHost() + ":" + member.getMappedPort(2379)))
        .toList();
  }

  /** Takes a member off the network: nobody reaches it, and it reaches nobody. */
  void cut(int index) {
    DockerClientFactory.instance()
        .client()
        .disconnectFromNetworkCmd()
        .withNetworkId(network.getId())
        .withContainerId(members.get(index).getContainerId())
        .exec();
  }

  /** What the members wrote, for whoever looks into a failure. */
  String log(int index) {
    return members.get(index).getLogs();
  }

  static Optional<String> image() {
    return Optional.ofNullable(System.getenv("DRYDOCK_ETCD_IMAGE"));
  }

  @Override
  public void close() {
    members.forEach(GenericContainer::stop);
    Objects.requireNonNull(network).close();
  }
}
