package dev.drydock.lock.etcd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.support.CloseableClient;
import io.etcd.jetcd.support.Observers;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** What Drydock is compared with: plain puts, and the lock that jetcd brings. */
final class RawEtcd implements AutoCloseable {
  private static final long LEASE_SECONDS = 30;

  /** As large as one of our lock records. */
  private static final ByteSequence VALUE = ByteSequence.from("v".repeat(200), UTF_8);

  private final Client client;
  private final List<Long> leases = new ArrayList<>();
  private final List<CloseableClient> renewals = new ArrayList<>();

  RawEtcd(URI endpoint) {
    client = Client.builder().endpoints(endpoint).build();
  }

  void put(int number) throws Exception {
    client.getKVClient().put(bytes("/raw/" + number), VALUE).get();
  }

  /** A lease per contender: under one lease the same name is granted to all of them. */
  void prepareLeases(int contenders) throws Exception {
    while (leases.size() < contenders) {
      long lease = client.getLeaseClient().grant(LEASE_SECONDS).get().getID();
      leases.add(lease);
      renewals.add(client.getLeaseClient().keepAlive(lease, Observers.observer(renewed -> {})));
    }
  }

  void lockAndUnlock(String name, int contender) throws Exception {
    ByteSequence key =
        client
            .getLockClient()
            .lock(bytes("/raw/lock/" + name), leases.get(contender))
            .get()
            .getKey();
    client.getLockClient().unlock(key).get();
  }

  private static ByteSequence bytes(String text) {
    return ByteSequence.from(text, UTF_8);
  }

  @Override
  public void close() {
    renewals.forEach(CloseableClient::close);
    client.close();
  }
}
