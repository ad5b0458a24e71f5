package dev.drydock.impact.policy;

import com.fasterxml.jackson.databind.JsonNode;
import dev.drydock.impact.core.PolicyHook;
import dev.drydock.impact.core.PolicyHook.Scope;
import dev.drydock.impact.core.PolicyHook.Stage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads the hooks of a policy and finds the pre hook each post hook belongs to:
 *
 * <ol>
 *   <li>the one it names by {@code of};
 *   <li>else the one of its own name;
 *   <li>else the only one of the mirrored stage and the same scope that no post hook is called
 *       after; several are a fault, as what they did would silently not be taken back;
 *   <li>else none: it only runs on the way forward.
 * </ol>
 */
final class HookList {
  private final JsonNode hooks;

  private HookList(JsonNode spec) {
    this.hooks = spec.path("hooks");
  }

  /** The hooks of a policy without faults, pre hooks first. */
  static List<PolicyHook> read(JsonNode spec) {
    HookList list = new HookList(spec);
    List<PolicyHook> read = new ArrayList<>();
    list.hooks.path("pre").forEach(pre -> read.add(hook(pre, Optional.empty())));
    list.hooks.path("post").forEach(post -> read.add(hook(post, list.of(post))));
    return read;
  }

  /** What fits the schema and makes no sense, by path. */
  static Map<String, String> faults(JsonNode spec) {
    HookList list = new HookList(spec);
    Map<String, String> faults = new LinkedHashMap<>(list.twice("pre"));
    faults.putAll(list.twice("post"));
    int index = 0;
    for (JsonNode post : list.hooks.path("post")) {
      list.misfit(post, "spec.hooks.post[" + index++ + "].").forEach(faults::putIfAbsent);
    }
    return faults;
  }

  private Map<String, String> twice(String kind) {
    Map<String, String> faults = new LinkedHashMap<>();
    Set<String> seen = new HashSet<>();
    int index = 0;
    for (JsonNode hook : hooks.path(kind)) {
      String path = "spec.hooks." + kind + "[" + index++ + "].name";
      String name = hook.path("name").asText();
      if (!seen.add(name)) {
        faults.put(path, kind + " hook " + name + " is listed twice: give each a name of its own");
      }
    }
    return faults;
  }

  private Map<String, String> misfit(JsonNode post, String path) {
    if (post.has("of") && pre(post.path("of").asText()).isEmpty()) {
      return Map.of(
          path + "of",
          "names no pre hook of this policy: '%s'".formatted(post.path("of").asText()));
    }
    Set<String> open = candidates(post);
    Optional<JsonNode> pre = of(post);
    if (pre.isEmpty()) {
      return open.size() < 2
          ? Map.of()
          : Map.of(
              path + "name",
              "could take back each of %s: say which by of".formatted(String.join(", ", open)));
    }
    String named = pre.get().path("name").asText();
    if (!mirrors(pre.get(), post)) {
      return Map.of(
          path + "stage",
          "is %s for each %s, but pre hook %s, whose effect it takes back, is %s for each %s: it must be %s for each %s"
              .formatted(
                  post.path("stage").asText(),
                  scope(post).word(),
                  named,
                  pre.get().path("stage").asText(),
                  scope(pre.get()).word(),
                  stage(pre.get()).mirror().word(),
                  scope(pre.get()).word()));
    }
    if (post.has("order") && post.path("order").asInt() != pre.get().path("order").asInt(0)) {
      return Map.of(
          path + "order",
          "is %d, must be that of pre hook %s (%d), as post hooks run in the mirrored order: leave it out"
              .formatted(post.path("order").asInt(), named, pre.get().path("order").asInt(0)));
    }
    return Map.of();
  }

  private Optional<JsonNode> of(JsonNode post) {
    Optional<JsonNode> named = pre(post.path("of").asText(post.path("name").asText()));
    Set<String> open = candidates(post);
    return named.isPresent() || post.has("of") || open.size() != 1
        ? named
        : pre(open.iterator().next());
  }

  private Optional<JsonNode> pre(String name) {
    for (JsonNode pre : hooks.path("pre")) {
      if (pre.path("name").asText().equals(name)) {
        return Optional.of(pre);
      }
    }
    return Optional.empty();
  }

  /** Pre hooks an unnamed post hook could belong to. */
  private Set<String> candidates(JsonNode post) {
    Set<String> taken = new HashSet<>();
    hooks.path("post").forEach(one -> taken.add(one.path("name").asText()));
    Set<String> open = new TreeSet<>();
    for (JsonNode pre : hooks.path("pre")) {
      if (mirrors(pre, post) && !taken.contains(pre.path("name").asText())) {
        open.add(pre.path("name").asText());
      }
    }
    return open;
  }

  private static boolean mirrors(JsonNode pre, JsonNode post) {
    return stage(pre).mirror() == stage(post) && scope(pre) == scope(post);
  }

  private static PolicyHook hook(JsonNode hook, Optional<JsonNode> of) {
    Map<String, String> params = new TreeMap<>();
    hook.path("params")
        .properties()
        .forEach(one -> params.put(one.getKey(), one.getValue().asText()));
    return new PolicyHook(
        hook.path("name").asText(),
        stage(hook),
        scope(hook),
        PolicyTimeParser.duration(hook.path("timeout"), PolicyHook.DEFAULT_TIMEOUT),
        of.orElse(hook).path("order").asInt(0),
        params,
        of.map(pre -> pre.path("name").asText()));
  }

  private static Stage stage(JsonNode hook) {
    return Stage.of(hook.path("stage").asText());
  }

  private static Scope scope(JsonNode hook) {
    return Scope.valueOf(hook.path("scope").asText("Instance").toUpperCase(Locale.ROOT));
  }
}
