package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.spi.Lease;
import dev.drydock.adapter.spi.LeaseClock;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.HostException.Kind;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One host, its services, its place in the rotation and its requests, in simulated time. Every 50
 * ms each instance in rotation gets a request; what happens to requests is counted, and so is what
 * must never happen.
 */
final class SimulatedHost implements HostAccess, Rotation, Prober, PollDelay, LeaseClock {
  private static final int TICK_MILLIS = 50;

  final List<FixedInstance> instances;
  final List<String> log = new ArrayList<>();
  int failedRequests;
  int answeredRequests;

  /** How long requests last from now on. */
  int requestMillis = 200;

  boolean reachable = true;
  boolean fenced;
  boolean startsSick;

  /** A planted bug: whoever claims the host gets to see it as if nobody had touched it. */
  boolean forgetful;

  /** What an instance says although its service runs, by id. */
  final Map<String, Health> ill = new HashMap<>();

  /** Services that do not come up when they are started. */
  final Set<String> broken = new LinkedHashSet<>();

  /** Runs after each pause: what others do meanwhile. */
  Runnable meanwhile = () -> {};

  /** Services the host has not, as after its operating system was installed anew. */
  final Set<String> absent = new LinkedHashSet<>();

  private final Set<String> running = new LinkedHashSet<>();
  private final Set<String> serving = new LinkedHashSet<>();
  private final Map<String, List<Long>> openUntil = new HashMap<>();
  private Optional<CordonMark> cordon = Optional.empty();
  private Optional<CordonMark> lifted = Optional.empty();
  private long now = 1_000_000;

  SimulatedHost(List<FixedInstance> instances) {
    this.instances = instances;
    for (FixedInstance instance : instances) {
      running.add(instance.service());
      serving.add(instance.id());
    }
  }

  @Override
  public long millis() {
    return now;
  }

  @Override
  public void pause(Duration duration) {
    for (long left = duration.toMillis(); left > 0; left -= TICK_MILLIS) {
      now += TICK_MILLIS;
      for (FixedInstance instance : instances) {
        List<Long> open = open(instance);
        answeredRequests += (int) open.stream().filter(end -> end <= now).count();
        open.removeIf(end -> end <= now);
        if (serving.contains(instance.id())) {
          request(instance, requestMillis);
        }
      }
    }
    meanwhile.run();
  }

  void request(FixedInstance instance, int millis) {
    if (running.contains(instance.service())) {
      open(instance).add(now + millis);
    } else {
      failedRequests++;
    }
  }

  private List<Long> open(FixedInstance instance) {
    return openUntil.computeIfAbsent(instance.id(), id -> new ArrayList<>());
  }

  private int openOf(FixedInstance instance) {
    return open(instance).size();
  }

  boolean serves(FixedInstance instance) {
    return serving.contains(instance.id());
  }

  boolean runs(FixedInstance instance) {
    return running.contains(instance.service());
  }

  Optional<CordonMark> cordonNow() {
    return cordon;
  }

  /** The operating system is installed anew, and with it nothing of what ran there. */
  void install() {
    instances.forEach(instance -> absent.add(instance.service()));
    running.clear();
  }

  void boot() {
    instances.forEach(instance -> running.add(instance.service()));
    running.removeAll(broken);
    running.removeAll(absent);
  }

  /** By somebody else, who needs no lease of ours. */
  void takeOut(FixedInstance instance) {
    log.add("out " + instance.id());
    serving.remove(instance.id());
  }

  /** By somebody else, too. */
  void putIn(FixedInstance instance) {
    log.add("in " + instance.id());
    serving.add(instance.id());
  }

  /** Its service does not run before anybody came. */
  void down(FixedInstance instance) {
    running.remove(instance.service());
  }

  void loseCordon() {
    cordon = Optional.empty();
    lifted = Optional.empty();
  }

  // ---- hosts

  @Override
  public HostState read(FixedHost host) throws HostException {
    if (!reachable) {
      throw new HostException(Kind.UNREACHABLE, host.name() + " does not answer");
    }
    Map<String, HostState.Service> services = new LinkedHashMap<>();
    for (FixedInstance instance : instances) {
      services.put(
          instance.service(), runs(instance) ? HostState.Service.RUNS : HostState.Service.STOPPED);
    }
    services.keySet().removeAll(absent);
    return new HostState(services, cordon, lifted);
  }

  @Override
  public HostState claim(FixedHost host, ClaimedStep claimedStep) throws HostException {
    effect(claimedStep, "claim " + claimedStep.token());
    if (forgetful) {
      Map<String, HostState.Service> untouched = new LinkedHashMap<>();
      instances.forEach(it -> untouched.put(it.service(), HostState.Service.RUNS));
      return new HostState(untouched, Optional.empty(), Optional.empty());
    }
    return read(host);
  }

  @Override
  public void cordon(FixedHost host, ClaimedStep claimedStep, CordonMark wanted)
      throws HostException {
    effect(claimedStep, "cordon");
    cordon = Optional.of(wanted);
    lifted = Optional.empty();
  }

  @Override
  public void liftCordon(FixedHost host, ClaimedStep claimedStep) throws HostException {
    effect(claimedStep, "lift");
    lifted = cordon.or(() -> lifted);
    cordon = Optional.empty();
  }

  @Override
  public HostState stop(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException {
    effect(claimedStep, "stop " + services);
    requirePresent(services);
    for (FixedInstance instance : instances) {
      if (services.contains(instance.service())) {
        failedRequests += openOf(instance);
        open(instance).clear();
        running.remove(instance.service());
      }
    }
    return read(host);
  }

  @Override
  public void deploy(FixedHost host, ClaimedStep claimedStep, Map<String, String> programs)
      throws HostException {
    effect(claimedStep, "deploy " + programs);
    absent.removeAll(programs.keySet());
  }

  @Override
  public void start(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException {
    effect(claimedStep, "start " + services);
    requirePresent(services);
    running.addAll(services);
    running.removeAll(broken);
    for (String service : services) {
      if (broken.contains(service)) {
        throw new HostException(Kind.FAILED, "timeout: down: " + service);
      }
    }
  }

  @Override
  public void tryStart(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException {
    effect(claimedStep, "try to start " + services);
    running.addAll(services);
    running.removeAll(broken);
    running.removeAll(absent);
  }

  private void requirePresent(List<String> services) throws HostException {
    for (String service : services) {
      if (absent.contains(service)) {
        throw new HostException(Kind.FAILED, "unable to change to service directory: " + service);
      }
    }
  }

  private void effect(ClaimedStep claimedStep, String what) throws HostException {
    claimedStep.lease().requireLive();
    if (fenced) {
      throw new HostException(Kind.FENCED, "token " + claimedStep.token() + " is older");
    }
    if (!reachable) {
      throw new HostException(Kind.UNREACHABLE, "no answer");
    }
    log.add(what);
  }

  // ---- rotation

  @Override
  public Snapshot read() {
    Map<String, Place> places = new HashMap<>();
    for (FixedInstance instance : instances) {
      places.put(
          Snapshot.key(instance.application(), instance.host()),
          new Place(serves(instance), openOf(instance)));
    }
    return new Snapshot(places);
  }

  @Override
  public Set<String> admitted() {
    return instances.stream()
        .filter(this::serves)
        .map(instance -> Snapshot.key(instance.application(), instance.host()))
        .collect(Collectors.toSet());
  }

  @Override
  public void drain(FixedInstance instance, Lease lease) throws IOException {
    lease.requireLive();
    takeOut(instance);
  }

  @Override
  public void ready(FixedInstance instance, Lease lease) throws IOException {
    lease.requireLive();
    putIn(instance);
  }

  // ---- health

  @Override
  public Map<FixedInstance, Health> probe(Collection<FixedInstance> asked) {
    Map<FixedInstance, Health> answers = new LinkedHashMap<>();
    for (FixedInstance instance : asked) {
      answers.put(
          instance,
          !runs(instance)
              ? new Health.Absent("nothing listens on port " + instance.port())
              : startsSick
                  ? new Health.NotReady(0, "warming up")
                  : ill.getOrDefault(instance.id(), new Health.Ready(openOf(instance), null)));
    }
    return answers;
  }
}
