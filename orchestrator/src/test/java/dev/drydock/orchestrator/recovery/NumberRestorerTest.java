package dev.drydock.orchestrator.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.LockTable;
import dev.drydock.orchestrator.testkit.Fleet;
import dev.drydock.orchestrator.testkit.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Numbers go on behind what etcd has. */
@Tag("stack")
class NumberRestorerTest {
  private final TestDatabase database = new TestDatabase();
  private final Fleet fleet = new Fleet(database.jdbi());

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void anEndThatNobodyCanReadUsesUpNoMarks() {
    after(Map.of("h1", ended("h1", 700), "h2", ended("h2", EndedLock.NEVER)));
    assertThat(fleet.mark()).as("behind the highest there was").isBetween(700L, 800L);
    assertThat(fleet.mark()).isGreaterThan(700);
  }

  private void after(Map<String, EndedLock> ended) {
    LockTable table = new LockTable(1, Map.of(), List.of(), ended, Set.of());
    database.jdbi().useTransaction(handle -> new NumberRestorer(handle).after(List.of(), table));
  }

  private static EndedLock ended(String host, long mark) {
    return new EndedLock(host, "g1", mark, "batch g1", "done");
  }
}
