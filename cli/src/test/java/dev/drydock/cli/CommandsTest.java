package dev.drydock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CommandsTest extends AtServer {
  private static final String H01 =
      """
      {"name":"h01","address":"10.0.0.10","scheduler":"static","hardwareClass":"small","labels":{},"source":"static",
       "observedAt":1000,"release":"1","instances":[{"id":"web@h01","application":"web","host":"h01","zone":"z1",
       "health":"Healthy","detail":"","observedAt":1000,"mark":7}]}""";

  private String file(String name, String text) throws IOException {
    return Files.writeString(home.resolve(name), text).toString();
  }

  /** The server takes a rollout. */
  private void starts() {
    server
        .created("POST rollouts", "r1")
        .on("GET rollouts/r1", 200, WatchTest.rollout("Running", 0, 0));
  }

  @Test
  void showsHostsAsATable() throws IOException {
    server.on("GET hosts", 200, FakeServer.list(H01));
    assertThat(run("host", "list").out())
        .isEqualTo(
            """
            HOST  RELEASE  SCHEDULER  INSTANCES    LOCK
            h01   1        static     1/1 healthy  -
            """);
  }

  @Test
  void writesNothingButTheRecordsForPrograms() throws IOException {
    server.on("GET hosts", 200, FakeServer.list(H01, H01.replace("h01", "h02")));
    Run json = run("host", "list", "-o", "json");
    assertThat(json.err()).isEmpty();
    assertThat(json.out()).startsWith("[\n  {").endsWith("}\n]\n");
    assertThat(run("host", "list", "-o", "jsonl").out().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("{\""));
    assertThat(run("host", "list", "-o", "name").out()).isEqualTo("h01\nh02\n");
    assertThat(run("host", "list", "-o", "yaml").out())
        .startsWith("- ")
        .contains("\n  name: h01\n");
  }

  @Test
  void writesAnEmptyListAsAList() throws IOException {
    server.on("GET hosts", 200, FakeServer.list());
    assertThat(run("host", "list", "-o", "json").out()).isEqualTo("[]\n");
    assertThat(run("host", "list", "-o", "name").out()).isEmpty();
  }

  @Test
  void refusesABadHostsFileBeforeAnyRequest() throws IOException {
    Run refused = run("rollout", "start", "--release", "2", "--hosts", file("hosts", "h01\nh01\n"));
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("hosts:2: h01 is listed twice, first on line 1");
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void saysTheServersFaultsByLine() throws IOException {
    server.on(
        "POST rollouts",
        422,
        """
        {"status":422,"code":"INVALID_ROLLOUT","message":"the rollout was refused: 2 errors","details":[
         {"path":"hosts[1]","message":"unknown host h99"},{"path":"release","message":"no release 7"}]}""");
    String hosts = file("hosts", "h01\n# next\nh99\n");
    Run refused = run("rollout", "start", "--release", "7", "--hosts", hosts);
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err().lines())
        .containsExactly(
            hosts + ":3: unknown host h99",
            "--release: no release 7",
            "drydock: the rollout was refused: 2 errors");
  }

  @Test
  void startsWithARequestIdOfItsOwn() throws IOException {
    starts();
    Run started =
        run("rollout", "start", "--release", "2", "--hosts", file("hosts", "h01\n"), "-o", "name");
    assertThat(started)
        .isEqualTo(new Run(0, "r1\n", "drydock: rollout r1 brings 1 host to release 2\n"));
    assertThat(server.bodies().getFirst())
        .contains("\"requestId\":\"")
        .contains("\"hosts\":[\"h01\"]", "\"mode\":\"PackageUpdate\"");
  }

  @Test
  void selectsHostsByTheirLabels() throws IOException {
    starts();
    Run started =
        run("rollout", "start", "--release", "2", "--selector", "rack=r1,!spare", "-o", "name");
    assertThat(started)
        .isEqualTo(
            new Run(
                0,
                "r1\n",
                "drydock: rollout r1 brings the hosts with rack=r1,!spare to release 2\n"));
    assertThat(server.bodies().getFirst())
        .contains("\"selector\":\"rack=r1,!spare\"", "\"hosts\":[]");
    String both = file("hosts", "h01\n");
    for (String command : List.of("start", "plan")) {
      Run refused =
          run("rollout", command, "--release", "2", "--selector", "rack", "--hosts", both);
      assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
      assertThat(refused.err()).contains("--hosts or --selector");
    }
  }

  @Test
  void saysWhichSelectorTheServerDoesNotUnderstand() throws IOException {
    server.on(
        "POST rollouts",
        422,
        """
        {"status":422,"code":"INVALID_SELECTOR","message":"The rollout has 1 fault.","details":[
         {"path":"selector","message":"\\"rack=~r\\" is no requirement"}]}""");
    Run refused = run("rollout", "start", "--release", "2", "--selector", "rack=~r");
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err()).contains("--selector: \"rack=~r\" is no requirement");
  }

  @Test
  void reImagesWhenToldTo() throws IOException {
    starts();
    String hosts = file("hosts", "h01\n");
    assertThat(
            run("rollout", "start", "--release", "2", "--hosts", hosts, "--mode", "Reimage").code())
        .isZero();
    assertThat(server.bodies().getFirst()).contains("\"mode\":\"Reimage\"");
    Run wrong = run("rollout", "start", "--release", "2", "--hosts", hosts, "--mode", "Burn");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).contains("--mode");
  }

  @Test
  void warnsOfWhatHasNoEffectAndTakesThePolicyAllTheSame() throws IOException {
    server.on(
        "POST policies?action=lint",
        200,
        """
        {"value":{"yaml":"a: 1","name":"web","warnings":[
         {"path":"spec.drain.timeout","line":9,"message":"4s has no effect on 2 hosts"}]}}""");
    String file = file("web.yaml", "a: 1\n");
    Run linted = run("policy", "lint", file);
    assertThat(linted.code()).isZero();
    assertThat(linted.out()).isEqualTo(file + ": valid\n");
    assertThat(linted.err())
        .isEqualTo(file + ":9: spec.drain.timeout: warning: 4s has no effect on 2 hosts\n");
  }

  @Test
  void appliesNoPolicyWhenOneIsWrong() throws IOException {
    server
        .on("POST policies?action=lint", 200, "{\"value\":{\"yaml\":\"a: 1\",\"name\":\"web\"}}")
        .on(
            "POST policies?action=lint",
            422,
            """
            {"status":422,"code":"INVALID_POLICY","message":"The policy has 1 fault.","details":[
             {"path":"spec.capacity[0].maxUnavailable","line":6,"message":"150% is more than all"}]}""");
    String good = file("web.yaml", "a: 1\n");
    String bad = file("ads.yaml", "b: 1\n");
    Run refused = run("policy", "apply", good, bad);
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err().lines())
        .containsExactly(
            bad + ":6: spec.capacity[0].maxUnavailable: 150% is more than all",
            "drydock: nothing was applied: 1 error");
    assertThat(server.calls()).doesNotContain("POST policies");
  }

  @Test
  void takesSeveralPoliciesOfAFileAndAllFilesOfAFolder() throws IOException {
    String good = "{\"value\":{\"yaml\":\"a: 1\",\"name\":\"web\"}}";
    server
        .on("POST policies?action=lint", 200, good)
        .on(
            "POST policies?action=lint",
            422,
            """
            {"status":422,"code":"INVALID_POLICY","message":"The policy has 1 fault.","details":[
             {"path":"spec","line":2,"message":"is missing"}]}""")
        .on("POST policies?action=lint", 200, good)
        .created("POST policies", "web")
        .on("GET policies/web", 200, "{\"yaml\":\"a: 1\",\"name\":\"web\"}");
    String several = file("some.yaml", "# ours\n---\na: 1\n---\nb: 1\n---\n# nothing\n");
    Run refused = run("policy", "lint", several);
    assertThat(refused.err().lines()).first().isEqualTo(several + ":5: spec: is missing");
    assertThat(server.bodies())
        .containsExactly("{\"yaml\":\"---\\na: 1\\n\"}", "{\"yaml\":\"---\\nb: 1\\n\"}");

    file("notes.txt", "no policy");
    Run applied = run("policy", "apply", "-f", home.toString(), "-o", "name");
    assertThat(applied).as(applied.err()).isEqualTo(new Run(0, "web\nweb\n", ""));
    assertThat(run("policy", "apply").err()).contains("name files or folders");
  }

  @Test
  void addingAReleaseTwiceIsNoError() throws IOException {
    String release =
        """
        {"name":"2","channel":"http://10.0.0.1:8080/apt/v2","packages":{"fleet-os":"2.0"},"kernel":"6.2.0.0-fleet",
        "dnfChannel":"http://10.0.0.1:8080/dnf/v2","dnfPackages":{"fleet-os":"2.0-1"},
        "images":{"apt":"http://10.0.0.1:8080/2.iso"},"imageVersion":"img"}""";
    server
        .on("POST releases", 409, "{\"code\":\"EXISTS\",\"message\":\"there is a release 2\"}")
        .on("GET releases/2", 200, release);
    assertThat(run("release", "add", file("2.json", release), "-o", "name"))
        .isEqualTo(new Run(0, "2\n", ""));
    Run other = run("release", "add", file("2.json", release.replace("2.0", "2.1")));
    assertThat(other.code()).isEqualTo(ExitCode.CONFLICT);
    Run otherRpm = run("release", "add", file("2.json", release.replace("2.0-1", "2.0-2")));
    assertThat(otherRpm.code()).isEqualTo(ExitCode.CONFLICT);
    Run otherImage = run("release", "add", file("2.json", release.replace("2.iso", "3.iso")));
    assertThat(otherImage.code()).isEqualTo(ExitCode.CONFLICT);
  }

  @Test
  void namesEveryFieldThatIsWrongInARelease() throws IOException {
    Run refused =
        run("release", "add", file("2.json", "{\"name\":\"2\",\"packages\":{},\"kernal\":\"6\"}"));
    assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
    assertThat(refused.err())
        .contains("2.json: channel: ")
        .contains("2.json: kernel: ")
        .contains("2.json: kernal: ");
    assertThat(server.calls()).isEmpty();
  }

  @Test
  void aRefusedTryHasItsOwnExitCode() throws IOException {
    server
        .created("POST locks", "t1")
        .on("GET locks/t1", 200, lock("Waiting", ""))
        .on("GET locks/t1", 200, lock("Refused", "web: 0 of 1 left"));
    Run refused = run("lock", "try", "h02", "web@h03", "--reason", "kernel test", "-o", "name");
    assertThat(refused)
        .isEqualTo(new Run(ExitCode.REFUSED, "t1\n", "drydock: refused: web: 0 of 1 left\n"));
    assertThat(server.bodies().getFirst())
        .contains("\"hosts\":[\"h02\"]")
        .contains("\"instances\":[\"web@h03\"]");
  }

  private static String lock(String state, String why) {
    return String.format(
        "{\"id\":\"t1\",\"kind\":\"Session\",\"state\":\"%s\",\"hosts\":[\"h02\"],\"holder\":\"foreign\",\"reason\":\"x\",\"explanation\":\"%s\"}",
        state, why);
  }

  @Test
  void tellsAWrongTokenFromOtherFailures() throws IOException {
    server.on(
        "GET hosts",
        401,
        "{\"status\":401,\"code\":\"UNAUTHENTICATED\",\"message\":\"unknown token\"}");
    Run refused = run("host", "list");
    assertThat(refused.code()).isEqualTo(ExitCode.NOT_AUTHENTICATED);
    assertThat(refused.err())
        .isEqualTo("drydock: unknown token (see --token-file and DRYDOCK_TOKEN_FILE)\n");
    assertThat(run("host", "get", "h77").code()).isEqualTo(ExitCode.FAILED);
  }

  @Test
  void saysWhatIsMissingWithoutAServer() {
    Run run = Run.of(Map.of(), home, List.of("host", "list"));
    assertThat(run.code()).isEqualTo(ExitCode.USAGE);
    assertThat(run.err())
        .isEqualTo(
            "drydock: no server given: use --url, DRYDOCK_URL or a context in "
                + home.resolve(".config/drydock/config.yaml")
                + "\n");
  }

  @Test
  void takesTheCurrentContextOfTheConfigurationFile() throws IOException {
    server.on("GET hosts", 200, FakeServer.list(H01));
    String token = file("token", "t0ken");
    Files.createDirectories(home.resolve(".config/drydock"));
    file(
        ".config/drydock/config.yaml",
        "current: lab\ncontexts:\n  lab: {url: '"
            + server.url()
            + "', tokenFile: "
            + token
            + "}\n");
    assertThat(Run.of(Map.of(), home, List.of("host", "list", "-o", "name")))
        .isEqualTo(new Run(0, "h01\n", ""));
    Run unknown = Run.of(Map.of(), home, List.of("host", "list", "--context", "prod"));
    assertThat(unknown.err()).contains("has no context prod; it has [lab]");
  }

  @Test
  void explainsAWrongCommandWithoutAStackTrace() throws IOException {
    Run wrong = run("rollout", "begin");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.err()).startsWith("drydock: ").doesNotContain("\tat ");
    Run none = run("rollout");
    assertThat(none.code()).isEqualTo(ExitCode.USAGE);
    assertThat(none.err()).contains("Missing required subcommand");
  }
}
