package dev.drydock.impact.plan;

import dev.drydock.impact.core.Fleet;
import dev.drydock.impact.core.FleetHost;
import dev.drydock.impact.core.FleetInstance;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Hosts and what is allocated on them, as numbers: 300,000 hosts with 3,000,000 instances are some
 * 46 MB beside their names. Everything allocated is taken to be up. Immutable.
 */
public final class CompactFleet {
  private final Names hosts;
  private final Names applications;
  private final Names zones;
  private final int[] first;
  private final int[] applicationOf;
  private final int[] zoneOf;
  private final short[] capacityOf;
  private final int[] allocated;
  private final long[] allocatedCapacity;
  private final long[] millis;
  private final Map<String, Map<Integer, String>> labels;

  private CompactFleet(Builder from) {
    this.hosts = from.hosts;
    this.applications = from.applications;
    this.zones = from.zones;
    this.millis = Arrays.copyOf(from.millis, hosts.size());
    this.labels = Map.copyOf(from.labels);
    this.first = new int[hosts.size() + 1];
    this.allocated = new int[applications.size()];
    this.allocatedCapacity = new long[applications.size()];
    this.applicationOf = new int[from.size];
    this.zoneOf = new int[from.size];
    this.capacityOf = new short[from.size];
    for (int i = 0; i < from.size; i++) {
      first[from.host[i] + 1]++;
      allocated[from.application[i]]++;
      allocatedCapacity[from.application[i]] += from.capacity[i];
    }
    for (int host = 0; host < hosts.size(); host++) {
      first[host + 1] += first[host];
    }
    int[] next = first.clone();
    for (int i = 0; i < from.size; i++) {
      int at = next[from.host[i]]++;
      applicationOf[at] = from.application[i];
      zoneOf[at] = from.zone[i];
      capacityOf[at] = from.capacity[i];
    }
  }

  /** The same fleet in numbers; work on each host takes as long as expected. */
  public static CompactFleet of(Fleet fleet, Duration expected) {
    Builder compact = new Builder(expected);
    for (FleetHost host : fleet.hosts()) {
      int number = compact.host(host.name());
      host.labels().forEach((key, value) -> compact.label(number, key, value));
      for (FleetInstance fleetInstance : fleet.allocatedOn(host.name())) {
        compact.instance(
            number,
            compact.application(fleetInstance.application()),
            compact.zone(fleetInstance.zone()),
            fleetInstance.capacity());
      }
    }
    return compact.build();
  }

  public int hostCount() {
    return hosts.size();
  }

  public int instanceCount() {
    return applicationOf.length;
  }

  public int applicationCount() {
    return applications.size();
  }

  public int zoneCount() {
    return zones.size();
  }

  public String host(int host) {
    return hosts.name(host);
  }

  /** The number of the host; -1 when there is none of this name. */
  public int hostNumber(String name) {
    return hosts.find(name);
  }

  public String application(int application) {
    return applications.name(application);
  }

  /** Names of the applications that are allocated on each of the hosts. */
  public Stream<Set<String>> applicationsOn(int[] hostNumbers) {
    return Arrays.stream(hostNumbers).mapToObj(this::applicationsOn);
  }

  private Set<String> applicationsOn(int host) {
    Set<String> names = new HashSet<>();
    for (int i = first[host]; i < first[host + 1]; i++) {
      names.add(application(applicationOf[i]));
    }
    return names;
  }

  /** The number of the application; -1 when there is none of this name. */
  int applicationNumber(String name) {
    return applications.find(name);
  }

  /** The name of a fault zone. */
  String zone(int zone) {
    return zones.name(zone);
  }

  /** How long work on the host takes, as expected. */
  long millis(int host) {
    return millis[host];
  }

  /** The place of the host's first instance; that of the next host ends them. */
  int firstInstance(int host) {
    return first[host];
  }

  int applicationOf(int fleetInstance) {
    return applicationOf[fleetInstance];
  }

  /** The fault zone of the instance; -1 when nobody told. */
  int zoneOf(int fleetInstance) {
    return zoneOf[fleetInstance];
  }

  /** How much the instance counts in rules about capacity, in units. */
  int capacityOf(int fleetInstance) {
    return capacityOf[fleetInstance];
  }

  /** Units of the application in the whole fleet. */
  long allocatedCapacity(int application) {
    return allocatedCapacity[application];
  }

  /** Instances of the application in the whole fleet. */
  int allocated(int application) {
    return allocated[application];
  }

  Optional<String> label(String key, int host) {
    return Optional.ofNullable(labels.getOrDefault(key, Map.of()).get(host))
        .filter(value -> !value.isEmpty());
  }

  /** All hosts, by number. */
  public int[] allHosts() {
    int[] all = new int[hosts.size()];
    Arrays.setAll(all, host -> host);
    return all;
  }

  /** The same fleet with other durations of work. */
  public CompactFleet lasting(long[] hostMillis) {
    Builder same = new Builder(Duration.ofMillis(1));
    same.hosts = hosts;
    same.applications = applications;
    same.zones = zones;
    same.labels.putAll(labels);
    same.millis = hostMillis.clone();
    for (int host = 0; host < hosts.size(); host++) {
      for (int at = first[host]; at < first[host + 1]; at++) {
        same.instance(host, applicationOf[at], zoneOf[at], capacityOf[at]);
      }
    }
    return same.build();
  }

  /** Numbers for names, in the order they came. */
  private static final class Names {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> names = new ArrayList<>();

    int number(String name) {
      Integer known = numbers.putIfAbsent(name, names.size());
      if (known != null) {
        return known;
      }
      names.add(name);
      return names.size() - 1;
    }

    int find(String name) {
      return numbers.getOrDefault(name, -1);
    }

    String name(int number) {
      return names.get(number);
    }

    int size() {
      return names.size();
    }
  }

  /** Collects a fleet. Confined to one thread; of no use once the fleet is built. */
  public static final class Builder {
    private final long defaultMillis;
    private final Map<String, Map<Integer, String>> labels = new HashMap<>();
    private Names hosts = new Names();
    private Names applications = new Names();
    private Names zones = new Names();
    private int size;
    private int[] host = new int[1024];
    private int[] application = new int[1024];
    private int[] zone = new int[1024];
    private short[] capacity = new short[1024];
    private long[] millis = new long[1024];

    /** A builder for hosts on which work takes so long unless told otherwise. */
    public Builder(Duration expected) {
      this.defaultMillis = expected.toMillis();
    }

    /** The number of the host, which is new to the fleet if the name is. */
    public int host(String name) {
      int known = hosts.size();
      int number = hosts.number(name);
      if (number == known) {
        if (number == millis.length) {
          millis = Arrays.copyOf(millis, 2 * number);
        }
        millis[number] = defaultMillis;
      }
      return number;
    }

    public int application(String name) {
      return applications.number(name);
    }

    /** The number of the zone; an empty name stands for none. */
    public int zone(String name) {
      return name.isEmpty() ? -1 : zones.number(name);
    }

    public void lasts(int hostNumber, Duration expected) {
      millis[hostNumber] = expected.toMillis();
    }

    public void label(int hostNumber, String key, String value) {
      labels.computeIfAbsent(key, _ -> new HashMap<>()).put(hostNumber, value);
    }

    /** One more instance; all by number, the zone -1 when nobody told; its capacity in units. */
    public void instance(int hostNumber, int applicationNumber, int zoneNumber, int units) {
      if (size == host.length) {
        host = Arrays.copyOf(host, 2 * size);
        application = Arrays.copyOf(application, 2 * size);
        zone = Arrays.copyOf(zone, 2 * size);
        capacity = Arrays.copyOf(capacity, 2 * size);
      }
      host[size] = hostNumber;
      application[size] = applicationNumber;
      zone[size] = zoneNumber;
      capacity[size++] = (short) units; // At most CAPACITY_MAX of an instance, which fits.
    }

    public Set<String> applications() {
      return Set.copyOf(applications.names);
    }

    public CompactFleet build() {
      return new CompactFleet(this);
    }
  }
}
