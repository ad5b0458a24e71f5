package dev.drydock.lock.etcd;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Writes what every transaction is called. */
final class Names implements TransactionHook {
  final List<String> sent = Collections.synchronizedList(new ArrayList<>());

  @Override
  public void before(String transaction) {
    sent.add(transaction);
  }

  @Override
  public void after(String transaction) {}
}
