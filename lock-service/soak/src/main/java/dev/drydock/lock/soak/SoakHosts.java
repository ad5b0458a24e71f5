package dev.drydock.lock.soak;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The hosts of a soak. For the busy ones somebody waits nearly always; the quiet ones, which no
 * budget counts, are free now and then when somebody asks for them.
 */
record SoakHosts(List<String> busy, List<String> quiet) {

  static SoakHosts of(int hosts, int quiet) {
    List<String> all = IntStream.rangeClosed(1, hosts).mapToObj("h%02d"::formatted).toList();
    return new SoakHosts(all.subList(0, hosts - quiet), all.subList(hosts - quiet, hosts));
  }

  List<String> all() {
    return Stream.concat(busy.stream(), quiet.stream()).toList();
  }

  /**
   * One host in two of three cases, else up to four: quiet ones, busy ones, or (one draw in a
   * hundred, since it keeps the quiet ones while it waits for the busy) some of both.
   *
   * @param atHome percentage of draws that are of the quiet hosts
   */
  List<String> draw(Random random, int atHome) {
    int dice = random.nextInt(100);
    List<String> from = new ArrayList<>(dice < atHome ? quiet : busy);
    if (dice == 99) {
      from.addAll(quiet);
    }
    Collections.shuffle(from, random);
    int hosts = random.nextInt(3) == 0 ? 2 + random.nextInt(3) : 1;
    return from.subList(0, Math.min(hosts, from.size())).stream().sorted().toList();
  }
}
