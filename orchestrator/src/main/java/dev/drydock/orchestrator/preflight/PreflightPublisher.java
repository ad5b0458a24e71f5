package dev.drydock.orchestrator.preflight;

import dev.drydock.orchestrator.preflight.PreflightRows.Asked;
import dev.drydock.orchestrator.store.PendingBatches;
import dev.drydock.orchestrator.store.PendingBatches.Offer;
import dev.drydock.orchestrator.store.Transactor;
import dev.drydock.platform.config.ServerConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;

/**
 * Asks the hosts that are next whether they could be updated, ahead of their grants. Who is next is
 * what the grantor would be offered ({@link PendingBatches}): those with an age or a place, the
 * first of each rollout, and others in turns, so that a host behind many that cannot go is asked as
 * well.
 *
 * <p>Properties, for each topic: no more than {@code openMax} preflights are open, and of hosts
 * that still wait no more than {@code aheadMax} passed in the last five minutes; both may be passed
 * by one batch, which is asked about as a whole. So a rollout that goes on slowly does not have all
 * of its hosts asked over and over, and the first ones leave room for others, as they are asked
 * again after a longer time only. Safe for use by many threads.
 */
final class PreflightPublisher {
  private final Jdbi jdbi;
  private final Transactor transactor;
  private final PendingBatches batches;
  private final ServerConfig.Preflight terms;

  PreflightPublisher(Jdbi jdbi, ServerConfig.Preflight terms) {
    this.jdbi = jdbi;
    this.transactor = new Transactor(jdbi);
    this.batches = PendingBatches.ofAll(jdbi);
    this.terms = terms;
  }

  /**
   * One round.
   *
   * @param queued ids of tickets that wait
   * @return how many hosts were asked
   */
  int publish(Collection<String> queued) {
    Room room = jdbi.withHandle(handle -> Room.of(PreflightRows.topics(handle, terms)));
    if (room.most() == 0) {
      return 0;
    }
    List<Offer> offers = batches.look(queued, terms.aheadMax(), room.most());
    Set<Asked> due = jdbi.withHandle(handle -> PreflightRows.due(handle, hosts(offers)));
    List<Asked> chosen = chosen(offers, due, room);
    return chosen.isEmpty() ? 0 : transactor.call(handle -> PreflightRows.publish(handle, chosen));
  }

  /** The first ones first; those in turns have the room that is left. */
  private List<Asked> chosen(List<Offer> offers, Set<Asked> due, Room room) {
    List<Asked> chosen = new ArrayList<>();
    offers.stream()
        .filter(offer -> !offer.inTurn() && room.left(offer))
        .forEach(offer -> take(offer, due, room, chosen));
    offers.stream()
        .filter(Offer::inTurn)
        .sorted(Comparator.comparing(Offer::turn))
        .takeWhile(room::left)
        .forEach(offer -> take(offer, due, room, chosen));
    return chosen;
  }

  private void take(Offer offer, Set<Asked> due, Room room, List<Asked> chosen) {
    List<Asked> wanted = hosts(List.of(offer)).stream().filter(due::contains).toList();
    chosen.addAll(wanted);
    room.take(offer, wanted.size());
    batches.seen(offer);
  }

  private static List<Asked> hosts(List<Offer> offers) {
    return offers.stream()
        .flatMap(
            offer ->
                offer.candidate().hosts().stream()
                    .map(host -> new Asked(offer.candidate().rollout(), host)))
        .toList();
  }

  /** How many more preflights each topic may have; used up in one round. */
  private record Room(Map<String, String> topics, Map<String, Integer> left) {

    static Room of(List<PreflightRows.Topic> running) {
      Map<String, String> topics = new HashMap<>();
      Map<String, Integer> room = new HashMap<>();
      for (PreflightRows.Topic topic : running) {
        topics.put(topic.rollout(), topic.name());
        room.put(topic.name(), Math.max(0, topic.room()));
      }
      return new Room(topics, room);
    }

    int most() {
      return left.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    }

    private String topic(Offer offer) {
      return topics.getOrDefault(offer.candidate().rollout(), "");
    }

    boolean left(Offer offer) {
      return left.getOrDefault(topic(offer), 0) > 0;
    }

    void take(Offer offer, int hosts) {
      left.merge(topic(offer), -hosts, Integer::sum);
    }
  }
}
