package dev.drydock.orchestrator.inventory;

import dev.drydock.api.HealthSeverity;
import dev.drydock.api.HealthSpec;
import dev.drydock.api.MachineSpec;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds everything wrong with what a release wants of hosts. */
final class HealthSpecCheck {
  private static final Pattern MOUNT = Pattern.compile("/[A-Za-z0-9._/-]{0,199}");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@:-]{0,127}");
  private static final int PERCENT_MAX = 100;

  private final BiConsumer<String, String> fault;

  private HealthSpecCheck(BiConsumer<String, String> fault) {
    this.fault = fault;
  }

  /**
   * Checks the specs of all hardware classes.
   *
   * @param fault takes the path of a field and what is wrong there
   */
  static void check(Map<String, HealthSpec> specs, BiConsumer<String, String> fault) {
    HealthSpecCheck check = new HealthSpecCheck(fault);
    specs.forEach(
        (hardwareClass, spec) -> {
          String path = "health." + hardwareClass.replace('\0', '?');
          if (!NameRules.isName(hardwareClass)) {
            fault.accept(path, "is no hardware class; it may also be default");
          }
          check.host(path, spec);
        });
  }

  private void host(String path, HealthSpec spec) {
    count(path + ".memoryMib", spec.getMemoryMib());
    count(path + ".processors", spec.getProcessors());
    count(path + ".disks", spec.getDisks());
    spec.getMounts()
        .forEach(
            (mount, percent) -> {
              String at = path + ".mounts." + mount.replace('\0', '?');
              if (!MOUNT.matcher(mount).matches()) {
                fault.accept(at, "must be the path of a mount point, such as /data");
              }
              if (percent < 0 || percent > PERCENT_MAX) {
                fault.accept(at, "must be the percent that has to be free, from 0 to 100");
              }
            });
    spec.getCards()
        .forEach(
            (card, megabits) -> {
              word(path + ".cards." + card.replace('\0', '?'), card, "network card");
              count(path + ".cards." + card.replace('\0', '?'), megabits);
            });
    spec.getServices().forEach(service -> word(path + ".services", service, "service"));
    MachineSpec bmc = spec.getBmc();
    if (bmc != null) {
      machine(path + ".bmc", bmc);
    }
  }

  private void machine(String path, MachineSpec spec) {
    count(path + ".memoryGib", spec.getMemoryGib());
    count(path + ".processors", spec.getProcessors());
    severity(path + ".health", spec.getHealth());
    severity(path + ".log", spec.getLog());
    spec.getFirmware()
        .forEach(
            (component, version) -> {
              String at = path + ".firmware." + component.replace('\0', '?');
              if (!NameRules.isText(component) || !NameRules.isText(version) || version.isEmpty()) {
                fault.accept(at, "must be a version as the BMC tells it");
              }
            });
  }

  private void count(String path, @Nullable Number number) {
    if (number != null && !(number.doubleValue() >= 0 && Double.isFinite(number.doubleValue()))) {
      fault.accept(path, "must be a number from 0 on");
    }
  }

  private void severity(String path, @Nullable HealthSeverity severity) {
    if (severity == HealthSeverity.$UNKNOWN) {
      fault.accept(path, "must be OK, Warning or Critical");
    }
  }

  private void word(String path, String word, String what) {
    if (!WORD.matcher(word).matches()) {
      fault.accept(path, "'" + word.replace('\0', '?') + "' is no name of a " + what);
    }
  }
}
