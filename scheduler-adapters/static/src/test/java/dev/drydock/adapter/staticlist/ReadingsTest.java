package dev.drydock.adapter.staticlist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.drydock.adapter.staticlist.Allocation.FixedInstance;
import dev.drydock.adapter.staticlist.HostState.Service;
import dev.drydock.adapter.staticlist.Prober.Health;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Texts as the balancer, a host and an instance write them. */
final class ReadingsTest {
  private static final FixedInstance WEB =
      new FixedInstance("web@h01", "web", "h01", 8101, "/health", "web", "z1", 1, "");
  private static final String TITLES =
      "# pxname,svname,qcur,qmax,scur,smax,slim,stot,status,weight\n";

  private static Rotation.Snapshot rotation(String row) throws IOException {
    return HaproxyRotation.parse(TITLES + row + "\n\n");
  }

  @Test
  void aServerServesWhenItIsUpWithAWeight() throws IOException {
    assertThat(rotation("web,h01,0,0,0,9,,7,no check,1").serves(WEB)).isTrue();
    assertThat(rotation("web,h01,0,0,0,9,,7,UP,1").serves(WEB)).isTrue();
    assertThat(rotation("web,h01,0,0,0,9,,7,DRAIN,1").serves(WEB)).isFalse();
    assertThat(rotation("web,h01,0,0,0,9,,7,MAINT,1").serves(WEB)).isFalse();
    assertThat(rotation("web,h01,0,0,0,9,,7,DOWN,1").serves(WEB)).isFalse();
    assertThat(rotation("web,h01,0,0,0,9,,7,no check,0").serves(WEB)).isFalse();
    assertThat(rotation("web,h02,0,0,0,9,,7,no check,1").serves(WEB)).isFalse();
  }

  @Test
  void requestsThatWaitAreOpenToo() throws IOException {
    assertThat(rotation("web,h01,2,0,3,9,,7,DRAIN,1").open(WEB)).isEqualTo(5);
  }

  @Test
  void anAnswerThatIsNoTableIsNoRotation() {
    assertThatThrownBy(() -> HaproxyRotation.parse("Permission denied\n"))
        .hasMessageContaining("Permission denied");
    assertThatThrownBy(() -> rotation("web,h01,x,0,0,9,,7,UP,1")).isInstanceOf(IOException.class);
  }

  @Test
  void readsServicesAndCordonOfAHost() {
    HostState state =
        HostState.parse(
                """
                service run: /etc/service/web: (pid 75) 12s, want down
                service down: /etc/service/ads: 5s, normally up
                service fail: /etc/service/search: runsv not running
                cordon g17
                cordon web@h01
                end
                """)
            .orElseThrow();
    assertThat(state.service("web")).isEqualTo(Service.RUNS);
    assertThat(state.service("ads")).isEqualTo(Service.STOPPED);
    assertThat(state.service("search")).isEqualTo(Service.UNKNOWN);
    assertThat(state.service("other")).isEqualTo(Service.ABSENT);
    assertThat(state.cordon().orElseThrow())
        .isEqualTo(new CordonMark("g17", List.of("web@h01"), List.of()));
    assertThat(state.lifted()).isEmpty();
  }

  @Test
  void aCordonIsReadAsItWasWritten() {
    CordonMark cordonMark =
        new CordonMark("g17", List.of("web@h01"), List.of("ads@h01", "search@h01"));
    assertThat(cordonMark.text()).isEqualTo("g17\nweb@h01\nsick ads@h01\nsick search@h01\n");
    assertThat(CordonMark.parse(cordonMark.text().lines().toList())).contains(cordonMark);
  }

  @Test
  void aReadThatWasCutOffIsNoRead() {
    assertThat(HostState.parse("service down: /etc/service/web: 5s\n")).isEmpty();
    assertThat(HostState.parse("")).as("it cannot list its services").isEmpty();
  }

  /** It is not taken for one that is not there, and so for one that is stopped. */
  @Test
  void whatIsListedAndTellsNothingIsUnknown() {
    HostState state =
        HostState.parse("listed web\nlisted ads\nservice sh: 1: sv: not found\nend\n")
            .orElseThrow();
    assertThat(state.service("web")).isEqualTo(Service.UNKNOWN);
    assertThat(state.service("search")).isEqualTo(Service.ABSENT);
    assertThat(HostState.parse("")).isEmpty();
  }

  @Test
  void onlyTheRightInstanceSaysThatItIsReady() {
    String page = "{\"application\":\"web\",\"host\":\"h01\",\"ready\":true,\"open\":3}";
    assertThat(HttpProber.judge(WEB, 200, page)).isEqualTo(new Health.Ready(3, null));
    assertThat(HttpProber.judge(WEB, 200, page.replace("}", ",\"bootId\":\"b1\"}")))
        .isEqualTo(new Health.Ready(3, "b1"));
    assertThat(HttpProber.judge(WEB, 503, page)).isInstanceOf(Health.NotReady.class);
    assertThat(HttpProber.judge(WEB, 200, page.replace("true", "false")))
        .isInstanceOf(Health.NotReady.class);
    assertThat(HttpProber.judge(WEB, 200, page.replace("h01", "h02")))
        .isEqualTo(new Health.NotReady(3, "web@h02 answers in its place"));
    assertThat(HttpProber.judge(WEB, 200, "ok")).isInstanceOf(Health.NotReady.class);
    assertThat(HttpProber.judge(WEB, 200, page.replace(",\"open\":3", "")))
        .isInstanceOf(Health.NotReady.class);
  }
}
