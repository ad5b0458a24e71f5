package dev.drydock.lock.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class GroupLaneTest {
  private record Item(String name, String key, int weight) implements GroupLane.Item {
    @Override
    public Set<String> writes() {
      return Set.of(key);
    }

    @Override
    public int bytes() {
      return 1;
    }
  }

  private final List<List<String>> groups = new ArrayList<>();
  private final List<CompletableFuture<Void>> sent = new ArrayList<>();
  private final GroupLane<Item> lane =
      new GroupLane<>(
          new GroupLane.Limits(10, 10),
          group -> {
            groups.add(group.stream().map(Item::name).toList());
            sent.add(new CompletableFuture<>());
            return sent.getLast();
          });

  @Test
  void whoComesMeanwhileGoesTogetherUpToTheLimit() {
    lane.add(new Item("a", "1", 1));
    lane.add(new Item("b", "2", 6));
    lane.add(new Item("c", "3", 4));
    lane.add(new Item("d", "4", 1));
    answerAll();

    assertThat(groups).containsExactly(List.of("a"), List.of("b", "c"), List.of("d"));
  }

  @Test
  void whatWritesTheSameGoesOneAfterTheOther() {
    lane.add(new Item("a", "1", 1));
    lane.add(new Item("b", "h", 1));
    lane.add(new Item("c", "2", 1));
    lane.add(new Item("d", "h", 1));
    answerAll();

    assertThat(groups).containsExactly(List.of("a"), List.of("b", "c"), List.of("d"));
  }

  @Test
  void whoComesTogetherGoesTogether() {
    lane.add(List.of(new Item("a", "1", 1), new Item("b", "2", 1)));

    assertThat(groups).containsExactly(List.of("a", "b"));
  }

  private void answerAll() {
    for (int i = 0; i < sent.size(); i++) {
      sent.get(i).complete(null);
    }
  }
}
