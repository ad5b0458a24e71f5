package dev.drydock.impact.plan;

import dev.drydock.impact.core.Calendar;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * All that may block work, by number: what each application's rules allow, the domains its rules
 * count, windows, and what the rollout itself asks for. Work waits on the one that blocks it.
 *
 * <p>Built once, then read only.
 */
final class PlanLimits {
  /** At most {@link #most} instances, units of capacity or hosts at once. */
  static final byte CAPACITY = 0;

  /** One zone or domain of an application: at most {@code groupMost} of its group at once. */
  static final byte DOMAIN = 1;

  /** At most {@link #most} instances begun within {@link #millis}. */
  static final byte RATE = 2;

  /** Begins only while a calendar is open. */
  static final byte CALENDAR = 3;

  /** Opens once, when the first hosts of a rollout are done and were watched. */
  static final byte GATE = 4;

  private byte[] kind = new byte[64];
  private int[] most = new int[64];
  private int[] group = new int[64];
  private long[] millis = new long[64];
  private int[] application = new int[64];
  private int size;
  private int[] groupMost = new int[16];
  private int groups;
  private final List<Calendar> calendars = new ArrayList<>();
  private final List<String> rules = new ArrayList<>();
  private final BitSet inUnits = new BitSet();

  int size() {
    return size;
  }

  int groups() {
    return groups;
  }

  byte kind(int limit) {
    return kind[limit];
  }

  int most(int limit) {
    return most[limit];
  }

  /** The group of a domain. */
  int group(int limit) {
    return group[limit];
  }

  int groupMost(int ofGroup) {
    return groupMost[ofGroup];
  }

  long millis(int limit) {
    return millis[limit];
  }

  Calendar calendar(int limit) {
    return calendars.get(group[limit]);
  }

  /** Whose rule it is; -1 for the rollout's own. */
  int application(int limit) {
    return application[limit];
  }

  /** As the team wrote it. */
  String rule(int limit) {
    return rules.get(limit);
  }

  /** Whether it counts units of capacity, not instances. */
  boolean inUnits(int limit) {
    return inUnits.get(limit);
  }

  int units(int ofApplication, String rule, int units) {
    inUnits.set(size);
    return add(CAPACITY, ofApplication, rule, units, -1, 0);
  }

  int capacity(int ofApplication, String rule, int instances) {
    return add(CAPACITY, ofApplication, rule, instances, -1, 0);
  }

  int rate(int ofApplication, String rule, int instances, long perMillis) {
    return add(RATE, ofApplication, rule, instances, -1, perMillis);
  }

  int calendar(int ofApplication, Calendar calendar) {
    calendars.add(calendar);
    return add(CALENDAR, ofApplication, calendar.toString(), 0, calendars.size() - 1, 0);
  }

  int gate(String rule) {
    return add(GATE, -1, rule, 0, -1, 0);
  }

  int newGroup(int domainsMost) {
    if (groups == groupMost.length) {
      groupMost = Arrays.copyOf(groupMost, 2 * groups);
    }
    groupMost[groups] = domainsMost;
    return groups++;
  }

  int domain(int ofApplication, String rule, int ofGroup) {
    return add(DOMAIN, ofApplication, rule, 0, ofGroup, 0);
  }

  private int add(
      byte ofKind, int ofApplication, String rule, int mostOf, int ofGroup, long ofMillis) {
    if (size == kind.length) {
      kind = Arrays.copyOf(kind, 2 * size);
      most = Arrays.copyOf(most, 2 * size);
      group = Arrays.copyOf(group, 2 * size);
      millis = Arrays.copyOf(millis, 2 * size);
      application = Arrays.copyOf(application, 2 * size);
    }
    kind[size] = ofKind;
    most[size] = mostOf;
    group[size] = ofGroup;
    millis[size] = ofMillis;
    application[size] = ofApplication;
    rules.add(rule);
    return size++;
  }
}
