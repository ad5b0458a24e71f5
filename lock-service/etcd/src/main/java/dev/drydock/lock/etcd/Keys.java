package dev.drydock.lock.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.etcd.jetcd.ByteSequence;
import java.net.URLDecoder;
import java.net.URLEncoder;

/**
 * The layout of the keys under the root. Names are escaped, so that none can reach into another
 * key.
 */
record Keys(String root) {

  ByteSequence generation() {
    return bytes(root + "control/generation");
  }

  ByteSequence brake() {
    return bytes(root + "control/brake");
  }

  ByteSequence epoch() {
    return bytes(root + "control/epoch");
  }

  ByteSequence beat() {
    return bytes(root + "beat");
  }

  ByteSequence leader() {
    return bytes(root + "grantor/leader");
  }

  ByteSequence tickets() {
    return bytes(root + "tickets/");
  }

  ByteSequence ticketsOf(String id) {
    return bytes(root + "tickets/" + escape(id) + "/");
  }

  ByteSequence ticket(String id, int index) {
    return bytes(root + "tickets/" + escape(id) + "/" + index);
  }

  ByteSequence alive() {
    return bytes(root + "alive/");
  }

  ByteSequence alive(String id) {
    return bytes(root + "alive/" + escape(id));
  }

  ByteSequence locks() {
    return bytes(root + "locks/");
  }

  ByteSequence lock(String host) {
    return bytes(root + "locks/" + escape(host));
  }

  ByteSequence ended() {
    return bytes(root + "ended/");
  }

  ByteSequence ended(String host) {
    return bytes(root + "ended/" + escape(host));
  }

  ByteSequence grant(String id) {
    return bytes(root + "grants/" + escape(id));
  }

  ByteSequence verdicts() {
    return bytes(root + "verdicts/");
  }

  ByteSequence verdict(String id) {
    return bytes(root + "verdicts/" + escape(id));
  }

  /** Whether a change of this key can change what the grantor would decide. */
  boolean wakes(ByteSequence key) {
    String name = key.toString(UTF_8).substring(root.length());
    return !name.startsWith("verdicts/") && !name.startsWith("grants/") && !name.equals("beat");
  }

  /** The last part of a key. */
  static String name(ByteSequence key) {
    String text = key.toString(UTF_8);
    return URLDecoder.decode(text.substring(text.lastIndexOf('/') + 1), UTF_8);
  }

  static ByteSequence bytes(String text) {
    return ByteSequence.from(text, UTF_8);
  }

  private static String escape(String name) {
    return URLEncoder.encode(name, UTF_8);
  }
}
