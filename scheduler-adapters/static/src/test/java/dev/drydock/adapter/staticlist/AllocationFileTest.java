package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AllocationFileTest {
  private static final String GOOD =
      """
      {"scheduler":"static","source":"static","ssh":{"user":"root","keyFile":"/k","knownHostsFile":"/h"},
       "rotation":{"kind":"haproxy","address":"127.0.0.1:9999"},
       "hosts":[{"name":"h01","address":"10.0.0.11","hardwareClass":"standard","labels":{"rack":"r1"},"zones":{"web":"z1"}}],
       "instances":[{"id":"web@h01","application":"web","host":"h01","port":8101,"healthPath":"/health","service":"web","zone":"z1"}]}
      """;

  private static AllocationFile.Faulty faulty(String json) {
    return catchThrowableOfType(AllocationFile.Faulty.class, () -> AllocationFile.parse(json));
  }

  @Test
  void readsWhatTheLabWrites() throws AllocationFile.Faulty {
    Allocation allocation = AllocationFile.parse(GOOD);
    assertThat(allocation.rotation().port()).isEqualTo(9999);
    assertThat(allocation.on("h01"))
        .singleElement()
        .satisfies(web -> assertThat(web.port()).isEqualTo(8101));
    assertThat(allocation.host("h01").orElseThrow().zones()).containsEntry("web", "z1");
    assertThat(allocation.host("h02")).isEmpty();
  }

  @Test
  void readsTheCapacityOfAnInstanceWhichIsOneWhereTheListDoesNotSay() throws AllocationFile.Faulty {
    assertThat(AllocationFile.parse(GOOD).on("h01").getFirst().capacity()).isEqualTo(1);
    assertThat(AllocationFile.parse(sized("32")).on("h01").getFirst().capacity()).isEqualTo(32);
    for (String wrong : List.of("0", "10001", "\"8\"", "1.5")) {
      assertThat(faulty(sized(wrong)).faults())
          .as(wrong)
          .containsExactly("instances[0].capacity: must be a whole number from 1 to 10000");
    }
  }

  @Test
  void readsWhatIsDeployedOfAnInstanceWhereTheListSays() throws AllocationFile.Faulty {
    assertThat(AllocationFile.parse(GOOD).on("h01").getFirst().run()).isEmpty();
    String run = GOOD.replace("\"port\":8101", "\"port\":8101,\"run\":\"#!/bin/sh\\nexec web\"");
    assertThat(AllocationFile.parse(run).on("h01").getFirst().run())
        .isEqualTo("#!/bin/sh\nexec web");
    assertThat(faulty(run.replace("\"#!/bin/sh\\nexec web\"", "7")).faults())
        .containsExactly("instances[0].run: must be a text that is not empty");
  }

  private static String sized(String capacity) {
    return GOOD.replace("\"port\":8101", "\"port\":8101,\"capacity\":" + capacity);
  }

  @Test
  void namesAllFaultsAtOnce() {
    String bad =
        GOOD.replace("\"address\":\"127.0.0.1:9999\"", "\"address\":\"nowhere\"")
            .replace("\"port\":8101", "\"port\":0")
            .replace("\"host\":\"h01\"", "\"host\":\"h07\"")
            .replace("\"user\":\"root\"", "\"usr\":\"root\"");
    assertThat(faulty(bad).faults())
        .containsExactlyInAnyOrder(
            "ssh.user: must be a text that is not empty",
            "ssh.usr: unknown field; known are [keyFile, knownHostsFile, user]",
            "rotation.address: must be HOST:PORT",
            "instances[0].port: must be a port, 1 to 65535",
            "instances[0].host: there is no host h07 in this list");
  }

  private static String with(String field, String value) {
    return GOOD.replaceFirst("\"" + field + "\":\"[^\"]*\"", "\"" + field + "\":\"" + value + "\"");
  }

  private static String addressed(String address) {
    return GOOD.replace("10.0.0.11", address);
  }

  @Test
  void takesAddressesWithColonsAndNames() throws AllocationFile.Faulty {
    for (String good : List.of("fd00::3", "::1", "h03.dc1.example", "web-001", "192.0.2.7")) {
      assertThat(AllocationFile.parse(addressed(good)).hosts().getFirst().address())
          .isEqualTo(good);
    }
    assertThat(AllocationFile.parse("\uFEFF" + GOOD.replace("\n", "\r\n")).hosts()).hasSize(1);
  }

  @Test
  void refusesWhatNobodyCanUseAndNamesEntryAndField() {
    for (String bad :
        List.of("h_03", "999.1.1.1", "fd00::3::1", "[fd00::3]", "a b", "h:80", "a/b")) {
      assertThat(faulty(addressed(bad)).faults())
          .as(bad)
          .containsExactly(
              "hosts[0].address: must be an IP address or the name of a host, not '" + bad + "'");
    }
    for (String bad : List.of("health", "/a b", "/a#b", "http://h/")) {
      assertThat(faulty(with("healthPath", bad)).faults())
          .as(bad)
          .containsExactly(
              "instances[0].healthPath: must be a path that begins with /, not '" + bad + "'");
    }
    for (String field : List.of("application", "service")) {
      assertThat(
              faulty(GOOD.replace("\"" + field + "\":\"web\"", "\"" + field + "\":\"w;b\""))
                  .faults())
          .containsExactly(
              "instances[0]."
                  + field
                  + ": must be a name of letters, digits, '.', '_', '+' and '-', not 'w;b'");
    }
    assertThat(faulty(GOOD.replace("127.0.0.1:9999", "fd00::1:9999")).faults())
        .containsExactly("rotation.address: must be HOST:PORT");
  }

  @Test
  void refusesWhatIsNoJson() {
    assertThat(faulty("hosts: []").faults())
        .singleElement()
        .asString()
        .contains("not a JSON object");
  }
}
