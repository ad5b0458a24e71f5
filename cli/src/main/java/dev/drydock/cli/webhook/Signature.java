package dev.drydock.cli.webhook;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Lets a receiver know who sent a body, and when: {@code t=SECONDS,v1=HEX}, where HEX is the
 * HMAC-SHA256 of {@code SECONDS.BODY} under the shared secret. A receiver refuses one whose time is
 * long past, so that what was overheard cannot be sent again.
 */
public final class Signature {
  /** The header that carries it. */
  public static final String HEADER = "Drydock-Signature";

  private static final String ALGORITHM = "HmacSHA256";

  private Signature() {}

  /** The value of the header for a body sent now. */
  public static String of(String secret, String body, Instant now) {
    long seconds = now.getEpochSecond();
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
      byte[] sum = mac.doFinal((seconds + "." + body).getBytes(StandardCharsets.UTF_8));
      return "t=" + seconds + ",v1=" + HexFormat.of().formatHex(sum);
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("every Java has " + ALGORITHM, missing);
    }
  }
}
