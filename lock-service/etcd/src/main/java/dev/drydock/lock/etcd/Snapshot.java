package dev.drydock.lock.etcd;

import dev.drydock.lock.core.Ended;
import dev.drydock.lock.core.LockRecord;
import dev.drydock.lock.core.LockTable;
import dev.drydock.lock.core.Ticket;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import io.etcd.jetcd.kv.GetResponse;
import io.etcd.jetcd.kv.TxnResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Everything as of one revision, read linearizably in one transaction.
 *
 * @param generation modification revision of {@code control/generation}
 * @param leader create revision of the leadership key, 0 when nobody leads
 * @param modified modification revisions of locks and tickets, by key
 * @param uncounted alive keys of session locks that still live by the lease of the waiting ticket
 */
record Snapshot(
    LockTable table,
    long generation,
    long leader,
    Map<ByteSequence, Long> modified,
    List<KeyValue> uncounted) {

  static Snapshot read(EtcdConnection etcd) {
    Keys keys = etcd.keys();
    TxnResponse answer =
        etcd.repeat(
            () ->
                etcd.commit(
                    new Transaction("snapshot")
                        .get(keys.generation())
                        .get(keys.leader())
                        .range(keys.locks())
                        .range(keys.tickets())
                        .range(keys.ended())
                        .range(keys.alive())));
    List<GetResponse> parts = answer.getGetResponses();
    Map<ByteSequence, Long> modified = new HashMap<>();
    Map<String, LockRecord> locks = new HashMap<>();
    for (KeyValue lock : parts.get(2).getKvs()) {
      String host = Keys.name(lock.getKey());
      locks.put(host, Values.lock(host, lock.getValue(), lock.getCreateRevision()));
      modified.put(lock.getKey(), lock.getModRevision());
    }
    List<Ticket> tickets = new ArrayList<>();
    for (KeyValue ticket : parts.get(3).getKvs()) {
      tickets.add(Values.ticket(ticket.getKey(), ticket.getValue(), ticket.getCreateRevision()));
      modified.put(ticket.getKey(), ticket.getModRevision());
    }
    tickets.sort(Ticket.ORDER);
    Map<String, Ended> ended = new HashMap<>();
    for (KeyValue end : parts.get(4).getKvs()) {
      String host = Keys.name(end.getKey());
      ended.put(host, Values.ended(host, end.getValue()));
    }
    Set<String> alive = new HashSet<>();
    parts.get(5).getKvs().forEach(client -> alive.add(Keys.name(client.getKey())));
    return new Snapshot(
        new LockTable(answer.getHeader().getRevision(), locks, tickets, ended, alive),
        parts.get(0).getKvs().stream().mapToLong(KeyValue::getModRevision).findFirst().orElse(0),
        parts.get(1).getKvs().stream().mapToLong(KeyValue::getCreateRevision).findFirst().orElse(0),
        modified,
        uncounted(locks.values(), parts.get(5).getKvs()));
  }

  private static List<KeyValue> uncounted(Collection<LockRecord> locks, List<KeyValue> alive) {
    Set<String> sessions = new HashSet<>();
    locks.stream()
        .filter(lock -> lock.kind() == LockRecord.Kind.SESSION)
        .forEach(lock -> sessions.add(lock.id()));
    return alive.stream()
        .filter(AliveKey::waits)
        .filter(client -> sessions.contains(Keys.name(client.getKey())))
        .toList();
  }

  long modified(ByteSequence key) {
    return modified.getOrDefault(key, 0L);
  }
}
