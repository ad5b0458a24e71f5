package dev.drydock.orchestrator.store;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/** What policies say of fault zones. Asked inside transactions, which it joins. */
public interface ZonePolicy {

  /** Applications whose fault zones are taken all together or not at all. */
  Set<String> together();

  /** At most so many hosts go together: one grant takes no more. */
  int most();

  /** In which batches hosts are taken now, in the order of their first hosts. */
  List<List<String>> batches(Collection<String> hosts);
}
