package dev.drydock.proto.client;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Writes values into URIs the way protocol 2.0.0 of Rest.li reads them: atoms are percent-encoded,
 * including the characters that carry structure; {@code List(...)} and its commas stay raw; an
 * empty string is {@code ''}.
 */
final class RestUri {
  private RestUri() {}

  /** A string as a key in a path, as the value of a query parameter, or as an element of a list. */
  static String atom(String text) {
    if (text.isEmpty()) {
      return "''";
    }
    StringBuilder out = new StringBuilder(text.length() + 8);
    for (byte unit : text.getBytes(StandardCharsets.UTF_8)) {
      if (isPlain((char) (unit & 0xff))) {
        out.append((char) unit);
      } else {
        out.append('%');
        out.append(hex(unit >> 4));
        out.append(hex(unit));
      }
    }
    return out.toString();
  }

  static String list(Collection<String> texts) {
    return texts.stream().map(RestUri::atom).collect(Collectors.joining(",", "List(", ")"));
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.'
        || c == '~';
  }

  private static char hex(int bits) {
    return Character.toUpperCase(Character.forDigit(bits & 0xf, 16));
  }
}
