package dev.drydock.lock.api;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.TicketMode;
import dev.drydock.api.TicketRequest;
import dev.drydock.lock.core.GrantorPass;
import dev.drydock.lock.core.HostDirectory;
import dev.drydock.lock.core.Ticket;
import dev.drydock.platform.http.ApiException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What a request for hosts has to be like. All that is wrong with it is said at once. */
final class TicketValidation {
  private static final int HOSTS_MAX = GrantorPass.Limits.HOSTS_PER_GRANT_MAX;
  private static final int WAIT_SECONDS_MAX = 86_400;
  private static final int LEASE_SECONDS_MIN = 5;
  private static final int MAX_SECONDS_MAX = 30 * 86_400;
  private static final Pattern REQUEST_ID = Pattern.compile("[\\x21-\\x7e]{1,128}");

  private final HostDirectory directory;

  TicketValidation(HostDirectory directory) {
    this.directory = directory;
  }

  /**
   * The hosts a valid request stands for, sorted.
   *
   * @throws ApiException naming every fault
   */
  List<String> hosts(TicketRequest request) {
    List<ErrorDetail> faults = new ArrayList<>();
    List<ErrorDetail> unknown = new ArrayList<>();
    int names =
        request.getHosts().size() + request.getInstances().size() + request.getZones().size();
    if (names > HOSTS_MAX) {
      // Before anything is looked up: so many faults would not be read.
      refuse(List.of(tooMany(names)), List.of());
    }
    Set<String> hosts = named(request, faults, unknown);
    if (request.getHosts().isEmpty()
        && request.getInstances().isEmpty()
        && request.getZones().isEmpty()) {
      faults.add(
          ApiException.detail(
              "hosts", "names no host: name at least one host, instance or fault zone"));
    }
    if (hosts.size() > HOSTS_MAX) {
      faults.add(tooMany(hosts.size()));
    }
    ReasonText.fault(request.getReason()).ifPresent(faults::add);
    if (request.hasRequestId() && !REQUEST_ID.matcher(request.getRequestId()).matches()) {
      faults.add(
          ApiException.detail("requestId", "has to be 1 to 128 printable characters, no spaces"));
    }
    between(faults, "waitSeconds", request.getWaitSeconds(), 1, WAIT_SECONDS_MAX);
    between(
        faults,
        "leaseSeconds",
        request.getLeaseSeconds(),
        LEASE_SECONDS_MIN,
        Ticket.LEASE_SECONDS_MAX);
    between(faults, "maxSeconds", request.getMaxSeconds(), 0, MAX_SECONDS_MAX);
    if (request.isHold() && request.getMode() != TicketMode.Wait) {
      faults.add(ApiException.detail("mode", "has to be Wait for a hold"));
    }
    refuse(faults, unknown);
    return List.copyOf(hosts);
  }

  private static ErrorDetail tooMany(int named) {
    return ApiException.detail(
        "hosts", "stands for " + named + " hosts, more than " + HOSTS_MAX + ": split the work");
  }

  private static void refuse(List<ErrorDetail> faults, List<ErrorDetail> unknown) {
    if (faults.isEmpty() && unknown.isEmpty()) {
      return;
    }
    String code = faults.isEmpty() ? "UNKNOWN_HOST" : "INVALID_TICKET";
    List<ErrorDetail> all = new ArrayList<>(faults);
    all.addAll(unknown);
    throw ApiException.invalid(
        code, "The request for hosts has " + all.size() + " fault(s); see details.", all);
  }

  private Set<String> named(
      TicketRequest request, List<ErrorDetail> faults, List<ErrorDetail> unknown) {
    Set<String> hosts = new TreeSet<>();
    Set<String> nobodys = directory.unknown(new HashSet<>(request.getHosts()));
    for (int i = 0; i < request.getHosts().size(); i++) {
      String host = request.getHosts().get(i);
      String path = "hosts[" + i + "]";
      if (nobodys.contains(host)) {
        unknown.add(ApiException.detail(path, "there is no host named " + host));
      } else if (!hosts.add(host)) {
        faults.add(ApiException.detail(path, "names " + host + " a second time: name it once"));
      }
    }
    Map<String, String> homes = directory.hostsOf(new HashSet<>(request.getInstances()));
    for (int i = 0; i < request.getInstances().size(); i++) {
      String instance = request.getInstances().get(i);
      String home = homes.get(instance);
      if (home == null) {
        unknown.add(
            ApiException.detail(
                "instances[" + i + "]", "there is no instance with the id " + instance));
      } else {
        hosts.add(home);
      }
    }
    zones(request, hosts, unknown);
    applications(request, hosts, unknown);
    return hosts;
  }

  private void zones(TicketRequest request, Set<String> hosts, List<ErrorDetail> unknown) {
    List<String> applications =
        request.hasApplications() ? List.copyOf(request.getApplications()) : List.of();
    Map<String, List<String>> members =
        directory.hostsIn(new HashSet<>(request.getZones()), applications);
    for (int i = 0; i < request.getZones().size(); i++) {
      String zone = request.getZones().get(i);
      List<String> found = members.getOrDefault(zone, List.of());
      if (found.isEmpty()) {
        unknown.add(
            ApiException.detail(
                "zones[" + i + "]",
                "no host has an instance in a fault zone named "
                    + zone
                    + (applications.isEmpty() ? "" : " of " + String.join(", ", applications))));
      }
      hosts.addAll(found);
    }
  }

  /** A misspelt application would be taken down and counted as nothing. */
  private void applications(TicketRequest request, Set<String> hosts, List<ErrorDetail> unknown) {
    List<String> applications =
        request.hasApplications() ? List.copyOf(request.getApplications()) : List.of();
    Set<String> nowhere =
        applications.isEmpty() || hosts.isEmpty() ? Set.of() : directory.notOn(hosts, applications);
    for (int i = 0; i < applications.size(); i++) {
      if (nowhere.contains(applications.get(i))) {
        unknown.add(
            ApiException.detail(
                "applications[" + i + "]",
                "none of the hosts has an instance of an application named "
                    + applications.get(i)));
      }
    }
  }

  private static void between(
      List<ErrorDetail> faults, String field, int value, int least, int most) {
    if (value < least || value > most) {
      faults.add(
          ApiException.detail(field, "is " + value + ": choose between " + least + " and " + most));
    }
  }
}
