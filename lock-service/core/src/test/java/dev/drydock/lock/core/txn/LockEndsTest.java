package dev.drydock.lock.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.drydock.lock.core.EndedLock;
import dev.drydock.lock.core.Prop;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The last word on a host counts, in whatever record it is; what says nothing more goes. */
class LockEndsTest {
  private static final int RUNS = 300;
  private static final int HOSTS = 6;

  @Test
  void lastWordOnEachHostCountsAndWhatIsDeletedAsOutdatedIsNotMissed() {
    Prop.check("ends", RUNS, random -> history(random, true));
  }

  @Test
  void controlWhatStillCountsIsMissed() {
    assertThat(Prop.finds("last words", RUNS, random -> history(random, false))).isTrue();
  }

  private static void history(Random random, boolean outdatedOnly) {
    LockEnds lockEnds = new LockEnds();
    Map<Key.Session, List<EndedLock>> records = new LinkedHashMap<>();
    Map<String, EndedLock> own = new HashMap<>();
    Map<String, EndedLock> last = new TreeMap<>();
    for (int at = 1; at <= 40; at++) {
      List<String> hosts = some(random);
      long mark = at;
      if (random.nextInt(4) == 0) {
        String host = hosts.getFirst();
        EndedLock end = new EndedLock(host, "g" + at, mark, "x", "y");
        Key.Ended key = new Key.Ended(host);
        if (own.containsKey(host)) {
          lockEnds.remove(key, List.of(own.get(host)));
        }
        own.put(host, end);
        lockEnds.put(key, List.of(end), at);
        last.put(host, end);
      } else {
        Key.Session key = new Key.Session("s" + at);
        List<EndedLock> left =
            hosts.stream().map(host -> new EndedLock(host, key.id(), mark, "x", "y")).toList();
        List<Key.Session> gone =
            outdatedOnly ? lockEnds.outdatedBy(hosts) : List.copyOf(records.keySet());
        lockEnds.put(key, left, at);
        gone.forEach(
            other -> lockEnds.remove(other, Objects.requireNonNull(records.remove(other))));
        records.put(key, left);
        left.forEach(end -> last.put(end.host(), end));
      }
      assertThat(new TreeMap<>(lockEnds.last())).as("last words").isEqualTo(last);
    }
    List<String> all = IntStream.range(0, HOSTS).mapToObj(host -> "h" + host).toList();
    assertThat(records.size())
        .as("what is left of session locks")
        .isLessThanOrEqualTo(HOSTS + lockEnds.outdatedBy(all).size());
  }

  private static List<String> some(Random random) {
    List<String> hosts =
        IntStream.range(0, HOSTS)
            .filter(host -> random.nextInt(3) == 0)
            .mapToObj(host -> "h" + host)
            .toList();
    return hosts.isEmpty() ? List.of("h0") : hosts;
  }
}
