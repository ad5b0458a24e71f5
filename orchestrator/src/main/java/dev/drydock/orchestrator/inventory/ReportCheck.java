package dev.drydock.orchestrator.inventory;

import dev.drydock.api.ErrorDetail;
import dev.drydock.api.HealthState;
import dev.drydock.api.HostReport;
import dev.drydock.api.InstanceReport;
import dev.drydock.api.InventoryReport;
import dev.drydock.impact.core.FleetInstance;
import dev.drydock.platform.http.ApiException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds everything that is wrong with a report by itself, before the store is asked. */
final class ReportCheck {
  private static final String NAME_FORM =
      "must start with a letter or digit and go on with letters, digits, '.', '_' or '-'";

  private final List<ErrorDetail> faults = new ArrayList<>();
  private final Set<String> hosts = new HashSet<>();
  private final Set<String> instances = new HashSet<>();

  private ReportCheck() {}

  /** All faults, in the order of the report. */
  static List<ErrorDetail> faults(InventoryReport report) {
    ReportCheck check = new ReportCheck();
    check.name("source", report.getSource());
    int index = 0;
    for (HostReport host : report.getHosts()) {
      check.host("hosts[" + index++ + "]", host);
    }
    index = 0;
    for (InstanceReport instance : report.getInstances()) {
      String path = "instances[" + index++ + "]";
      check.instance(path, instance);
      if (report.isFull() && !check.hosts.contains(instance.getHost())) {
        check.fault(
            path + ".host",
            "host " + instance.getHost() + " is not among the hosts of this report");
      }
    }
    return check.faults;
  }

  private void host(String path, HostReport host) {
    name(path + ".name", host.getName());
    name(path + ".scheduler", host.getScheduler());
    name(path + ".hardwareClass", host.getHardwareClass());
    if (!NameRules.isAddress(host.getAddress())) {
      fault(path + ".address", "'%s' is no IP address or DNS name".formatted(host.getAddress()));
    }
    Map<String, String> labels = host.getLabels();
    labels.forEach(
        (key, value) -> {
          text(path + ".labels", key);
          text(path + ".labels." + key, value);
        });
    String bootId = host.getBootId();
    if (bootId != null) {
      name(path + ".bootId", bootId);
    }
    if (!hosts.add(host.getName())) {
      fault(path + ".name", "host " + host.getName() + " is listed twice");
    }
  }

  private void instance(String path, InstanceReport instance) {
    if (!NameRules.isInstanceId(instance.getId())) {
      fault(path + ".id", "'%s' is no instance id, such as web@h01".formatted(instance.getId()));
    }
    name(path + ".application", instance.getApplication());
    name(path + ".host", instance.getHost());
    name(path + ".zone", instance.getZone());
    text(path + ".detail", instance.getDetail());
    if (instance.getHealth() == HealthState.$UNKNOWN) {
      fault(path + ".health", "must be Healthy, Unhealthy or Unknown");
    }
    int capacity = instance.getCapacity();
    if (capacity < 1 || capacity > FleetInstance.CAPACITY_MAX) {
      fault(
          path + ".capacity",
          "is %d, must be from 1 to %d units".formatted(capacity, FleetInstance.CAPACITY_MAX));
    }
    if (!instances.add(instance.getId())) {
      fault(path + ".id", "instance " + instance.getId() + " is listed twice");
    }
  }

  private void name(String path, String name) {
    if (!NameRules.isName(name)) {
      fault(path, "'%s' %s".formatted(name, NAME_FORM));
    }
  }

  private void text(String path, String text) {
    if (!NameRules.isText(text)) {
      fault(path, "must be Unicode text without NUL and of at most 4000 characters");
    }
  }

  private void fault(String path, String message) {
    faults.add(ApiException.detail(path, message.replace('\0', '?')));
  }
}
