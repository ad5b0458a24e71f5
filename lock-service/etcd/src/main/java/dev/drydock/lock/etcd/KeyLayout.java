package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.drydock.lock.core.txn.Key;
import io.etcd.jetcd.ByteSequence;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * The layout of the keys under the root. Names are escaped, so that none can reach into another
 * key.
 */
record KeyLayout(String root) {
  private static final String TICKETS = "tickets/";
  private static final String ALIVE = "alive/";
  private static final String TERMS = "term/";
  private static final String LOCKS = "locks/";
  private static final String SESSIONS = "sessions/";
  private static final String ENDED = "ended/";
  private static final String GRANTS = "grants/";
  private static final String VERDICTS = "verdicts/";
  private static final String PASSED = "passed/";
  private static final BitSet PLAIN = plain();

  ByteSequence of(Key<?> key) {
    return bytes(
        root
            + switch (key) {
              case Key.Generation one -> "control/generation";
              case Key.Epoch one -> "control/epoch";
              case Key.Brake one -> "control/brake";
              case Key.Beat one -> "beat";
              case Key.Leader one -> "grantor/leader";
              case Key.Ticket(String id, int index) -> TICKETS + escape(id) + "/" + index;
              case Key.Alive(String id) -> ALIVE + escape(id);
              case Key.Term(String id) -> TERMS + escape(id);
              case Key.Lock(String host) -> LOCKS + escape(host);
              case Key.Session(String id) -> SESSIONS + escape(id);
              case Key.Ended(String host) -> ENDED + escape(host);
              case Key.Grant(String id) -> GRANTS + escape(id);
              case Key.Verdict(String id) -> VERDICTS + escape(id);
              case Key.Passed(String id) -> PASSED + escape(id);
            });
  }

  /** The key of that name; empty for one that is not ours. */
  Optional<Key<?>> read(ByteSequence key) {
    try {
      return named(key.toString(UTF_8).substring(root.length()))
          // Another spelling is another key: each of ours has one.
          .filter(ours -> of(ours).equals(key));
    } catch (IllegalArgumentException malformed) {
      return Optional.empty();
    }
  }

  private static Optional<Key<?>> named(String name) {
    return switch (name) {
      case "control/generation" -> Optional.of(new Key.Generation());
      case "control/epoch" -> Optional.of(new Key.Epoch());
      case "control/brake" -> Optional.of(new Key.Brake());
      case "beat" -> Optional.of(new Key.Beat());
      case "grantor/leader" -> Optional.of(new Key.Leader());
      default -> named(name.split("/", -1));
    };
  }

  private static Optional<Key<?>> named(String[] parts) {
    if (parts.length == 3 && parts[0].equals("tickets")) {
      return Optional.of(new Key.Ticket(unescape(parts[1]), Integer.parseInt(parts[2])));
    }
    if (parts.length != 2) {
      return Optional.empty();
    }
    String last = unescape(parts[1]);
    return switch (parts[0] + "/") {
      case ALIVE -> Optional.of(new Key.Alive(last));
      case TERMS -> Optional.of(new Key.Term(last));
      case LOCKS -> Optional.of(new Key.Lock(last));
      case SESSIONS -> Optional.of(new Key.Session(last));
      case ENDED -> Optional.of(new Key.Ended(last));
      case GRANTS -> Optional.of(new Key.Grant(last));
      case VERDICTS -> Optional.of(new Key.Verdict(last));
      case PASSED -> Optional.of(new Key.Passed(last));
      default -> Optional.empty();
    };
  }

  /** Prefixes that together cover everything a decision rests on. */
  List<ByteSequence> decisive() {
    return List.of(
        bytes(root + "control/"),
        of(new Key.Leader()),
        bytes(root + LOCKS),
        bytes(root + SESSIONS),
        bytes(root + TICKETS),
        bytes(root + ENDED),
        bytes(root + ALIVE),
        bytes(root + TERMS),
        bytes(root + PASSED));
  }

  ByteSequence grants() {
    return bytes(root + GRANTS);
  }

  ByteSequence verdicts() {
    return bytes(root + VERDICTS);
  }

  static ByteSequence bytes(String text) {
    return ByteSequence.from(text, UTF_8);
  }

  private static String escape(String name) {
    return plain(name) ? name : URLEncoder.encode(name, UTF_8);
  }

  private static String unescape(String name) {
    return plain(name) ? name : URLDecoder.decode(name, UTF_8);
  }

  /** Written as it is; most names are. Asked for every key of every transaction and event. */
  private static boolean plain(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!PLAIN.get(name.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private static BitSet plain() {
    BitSet plain = new BitSet();
    plain.set('a', 'z' + 1);
    plain.set('A', 'Z' + 1);
    plain.set('0', '9' + 1);
    plain.set('-');
    plain.set('.');
    return plain;
  }
}
