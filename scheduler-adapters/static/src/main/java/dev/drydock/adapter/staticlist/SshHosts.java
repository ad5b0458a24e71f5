package dev.drydock.adapter.staticlist;

import dev.drydock.adapter.spi.ClaimedStep;
import dev.drydock.adapter.staticlist.Allocation.FixedHost;
import dev.drydock.adapter.staticlist.HostException.Kind;
import dev.drydock.adapter.staticlist.Ssh.Ran;
import dev.drydock.adapter.staticlist.Ssh.Sending;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hosts over SSH, services by runit, effects under the wrapper {@code hostrun}. Thread-safe. */
final class SshHosts implements HostAccess {
  private static final Logger LOG = LoggerFactory.getLogger(SshHosts.class);
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration EFFECT_DEADLINE = Duration.ofSeconds(45);

  /** How long a host may be out of reach before a step gives up on it. */
  private static final Duration OUT_OF_REACH = Duration.ofSeconds(30);

  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final byte[] NO_INPUT = {};

  private final Ssh ssh;
  private final Hostrun hostrun;
  private final PollDelay pollDelay;

  SshHosts(Ssh ssh, Hostrun hostrun, PollDelay pollDelay) {
    this.ssh = ssh;
    this.hostrun = hostrun;
    this.pollDelay = pollDelay;
  }

  @Override
  public HostState read(FixedHost host) throws HostException, InterruptedException {
    return parse(host, ssh.run(host, READ_TIMEOUT, HostState.SCRIPT, NO_INPUT));
  }

  private static HostState parse(FixedHost host, Ran ran) throws HostException {
    return HostState.parse(ran.out())
        .orElseThrow(
            () ->
                new HostException(Kind.UNREACHABLE, host.name() + " cannot be read: " + why(ran)));
  }

  @Override
  public HostState claim(FixedHost host, ClaimedStep claimedStep)
      throws HostException, InterruptedException {
    Ran ran =
        persist(
            host,
            claimedStep,
            new Sending(
                hostrun.call(List.of("token", "--token", claimedStep.token()), HostState.SCRIPT),
                NO_INPUT,
                () -> {}));
    check(host, "show the token", ran);
    return parse(host, ran);
  }

  @Override
  public void cordon(FixedHost host, ClaimedStep claimedStep, CordonMark cordonMark)
      throws HostException, InterruptedException {
    String script =
        "cd /data/drydock && printf %s \"$0\" > .cordon && sync .cordon && mv .cordon cordon && rm"
            + " -f lifted && sync .";
    effect(host, claimedStep, "cordon", List.of("sh", "-c", script, cordonMark.text()));
  }

  @Override
  public void liftCordon(FixedHost host, ClaimedStep claimedStep)
      throws HostException, InterruptedException {
    String script = "cd /data/drydock && { [ ! -e cordon ] || mv cordon lifted; } && sync .";
    effect(host, claimedStep, "lift", List.of("sh", "-c", script));
  }

  @Override
  public HostState stop(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException, InterruptedException {
    return parse(host, effect(host, claimedStep, "stop", stop(claimedStep, services)));
  }

  /**
   * By force a service that does not stop is killed; runit calls that a failure, so that it is
   * looked at once more.
   */
  private static List<String> stop(ClaimedStep claimedStep, List<String> services) {
    if (!claimedStep.force()) {
      return sv("stop", services);
    }
    String script = "sv -w 10 force-stop \"$@\" || sv -w 10 stop \"$@\"";
    return services(List.of("sh", "-c", script, "stop"), services);
  }

  /** A service that is linked is whole: its supervisor starts it within seconds. */
  @Override
  public void deploy(FixedHost host, ClaimedStep claimedStep, Map<String, String> programs)
      throws HostException, InterruptedException {
    String script =
        "set -e; while [ $# -gt 0 ]; do mkdir -p /etc/sv/$1; printf %s \"$2\" > /etc/sv/$1/.run;"
            + " chmod 755 /etc/sv/$1/.run; sync /etc/sv/$1/.run; mv /etc/sv/$1/.run /etc/sv/$1/run;"
            + " ln -sfn /etc/sv/$1 /etc/service/$1; shift 2; done; sync /etc/service";
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "deploy"));
    programs.forEach((service, program) -> command.addAll(List.of(service, program)));
    effect(host, claimedStep, "deploy", command);
  }

  @Override
  public void start(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException, InterruptedException {
    effect(host, claimedStep, "start", insist(sv("up", services), 1));
  }

  @Override
  public void tryStart(FixedHost host, ClaimedStep claimedStep, List<String> services)
      throws HostException, InterruptedException {
    List<String> withoutWaiting = services(List.of("sv", "up"), services);
    effect(host, claimedStep, "tryStart", insist(withoutWaiting, 0));
  }

  /** Right after a boot the supervisors of the services may not be there yet. */
  private static List<String> insist(List<String> start, int codeInTheEnd) {
    String script =
        "for try in 1 2 3 4 5 6 7 8 9 10; do \"$@\" && exit 0; sleep 1; done; exit " + codeInTheEnd;
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "start"));
    command.addAll(start);
    return command;
  }

  private static List<String> sv(String verb, List<String> services) {
    return services(List.of("sv", "-w", "30", verb), services);
  }

  private static List<String> services(List<String> verb, List<String> services) {
    List<String> command = new ArrayList<>(verb);
    services.forEach(service -> command.add("/etc/service/" + service));
    return command;
  }

  /**
   * Reads the host after the effect, in the same connection. Idempotent commands only: one whose
   * end was not seen is run again under the next key.
   */
  private Ran effect(FixedHost host, ClaimedStep claimedStep, String name, List<String> command)
      throws HostException, InterruptedException {
    String key = claimedStep.job().getId() + "." + claimedStep.attempt() + "." + name;
    Runnable begun = () -> claimedStep.begun(name);
    Ran ran = run(host, claimedStep, key, command, begun);
    if (ran.code() == Hostrun.INTERRUPTED) {
      LOG.warn("{}: the end of {} was not seen, running it again", host.name(), key);
      ran = run(host, claimedStep, key + ".again", command, begun);
    }
    check(host, name, ran);
    return ran;
  }

  private Ran run(
      FixedHost host, ClaimedStep claimedStep, String key, List<String> command, Runnable begun)
      throws HostException, InterruptedException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "run",
                "--token",
                claimedStep.token(),
                "--key",
                key,
                "--deadline",
                "" + EFFECT_DEADLINE.toSeconds(),
                "--"));
    arguments.addAll(command);
    return persist(
        host, claimedStep, new Sending(hostrun.call(arguments, HostState.SCRIPT), NO_INPUT, begun));
  }

  /**
   * Sends the same call until the host answers: the wrapper attaches a second call to the first
   * one's command.
   */
  private Ran persist(FixedHost host, ClaimedStep claimedStep, Sending call)
      throws HostException, InterruptedException {
    Duration waited = Duration.ZERO;
    boolean installed = false;
    while (true) {
      claimedStep.lease().requireLive();
      long began = System.nanoTime();
      Ran ran = ssh.run(host, EFFECT_DEADLINE.multipliedBy(2), call);
      if (ran.code() == Hostrun.MISSING && !installed) {
        ran =
            ssh.run(
                host,
                READ_TIMEOUT,
                hostrun.install(),
                hostrun.program().getBytes(StandardCharsets.UTF_8));
        if (ran.code() == 0) {
          installed = true;
          continue;
        }
      }
      if (!ran.isConnectionFailure() && ran.code() != Hostrun.BUSY) {
        return ran;
      }
      waited = waited.plusNanos(System.nanoTime() - began).plus(PAUSE);
      if (waited.compareTo(OUT_OF_REACH) > 0 || claimedStep.remaining().isZero()) {
        throw new HostException(Kind.UNREACHABLE, host.name() + " does not answer: " + why(ran));
      }
      pollDelay.pause(PAUSE);
    }
  }

  private static void check(FixedHost host, String what, Ran ran) throws HostException {
    if (ran.code() == Hostrun.OLDER_TOKEN) {
      throw new HostException(Kind.FENCED, host.name() + ": " + why(ran));
    }
    if (ran.code() != 0) {
      throw new HostException(Kind.FAILED, host.name() + ": " + what + " failed: " + why(ran));
    }
  }

  private static String why(Ran ran) {
    String text = (ran.err().isBlank() ? ran.out() : ran.err()).strip();
    String last = text.length() > 300 ? text.substring(text.length() - 300) : text;
    return (last.isEmpty() ? "no output" : last.replace('\n', ' '))
        + " (exit code "
        + ran.code()
        + ")";
  }
}
