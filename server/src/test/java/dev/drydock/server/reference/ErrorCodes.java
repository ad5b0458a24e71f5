package dev.drydock.server.reference;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The error codes in sources of the server: those that a factory of {@code ApiException} is given,
 * with its status, and every other word in capitals.
 */
final class ErrorCodes {
  private static final List<String> ROOMS =
      List.of("platform", "lock-service", "impact-analyzer/service", "orchestrator", "auditor");
  private static final Map<String, Integer> FACTORIES =
      Map.of("notFound", 404, "conflict", 409, "forbidden", 403, "invalid", 422);
  private static final Pattern GIVEN =
      Pattern.compile(
          "\\b(notFound|conflict|forbidden|invalid)\\(\\s*\"(\\w+)\"|HttpStatus\\.\\w+,\\s*\"(\\w+)\"");
  private static final Pattern WORD =
      Pattern.compile("\"([A-Z]+(?:_[A-Z]+)+)\"|static final String [A-Z]+ = \"([A-Z]+)\"");
  private static final Pattern REASONS =
      Pattern.compile("case ([A-Z_, ]+) ->\\s+ApiException\\.conflict\\(refused\\.reason");

  /** Words in capitals that are something else. */
  private static final Pattern NO_CODE =
      Pattern.compile("DRYDOCK_.*|XDG_.*|REMOTE_ADDR|DRAIN_TERMS");

  private ErrorCodes() {}

  /** The statuses of each code, as far as the sources of the checkout tell. */
  static Map<String, Set<Integer>> in(Path checkout) {
    Map<String, Set<Integer>> codes = new TreeMap<>();
    for (String room : ROOMS) {
      try (Stream<Path> files = Files.walk(checkout.resolve(room))) {
        files.filter(ErrorCodes::isOfTheServer).forEach(file -> add(codes, read(file)));
      } catch (IOException unreadable) {
        throw new UncheckedIOException(unreadable);
      }
    }
    return codes;
  }

  static void add(Map<String, Set<Integer>> codes, String source) {
    GIVEN
        .matcher(source)
        .results()
        .forEach(
            given -> {
              String factory = given.group(1);
              Set<Integer> statuses =
                  statuses(codes, factory == null ? given.group(3) : given.group(2));
              if (factory != null) {
                statuses.add(FACTORIES.getOrDefault(factory, 0));
              }
            });
    WORD.matcher(source)
        .results()
        .map(found -> found.group(1) == null ? found.group(2) : found.group(1))
        .filter(word -> !NO_CODE.matcher(word).matches())
        .forEach(word -> statuses(codes, word));
    REASONS
        .matcher(source)
        .results()
        .map(MatchResult::group)
        .flatMap(found -> Pattern.compile("[A-Z]+(?:_[A-Z]+)+").matcher(found).results())
        .forEach(reason -> statuses(codes, reason.group()).add(409));
  }

  private static Set<Integer> statuses(Map<String, Set<Integer>> codes, String code) {
    return codes.computeIfAbsent(code, unseen -> new TreeSet<>());
  }

  private static boolean isOfTheServer(Path file) {
    String path = file.toString();
    return path.endsWith(".java") && path.contains("/src/main/") && !path.contains("/testkit/");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
