package dev.drydock.adapter.staticlist;

import java.net.URI;
import java.net.URISyntaxException;

/** Addresses of hosts as they stand in the allocation list: IP addresses, or names. */
final class Addresses {
  private Addresses() {}

  /**
   * @throws URISyntaxException if nobody can be asked there
   */
  static URI http(String address, int port, String path) throws URISyntaxException {
    String host = address.indexOf(':') >= 0 ? "[" + address + "]" : address;
    URI uri = new URI("http://" + host + ":" + port + path);
    if (uri.getHost() == null) {
      throw new URISyntaxException(uri.toString(), "this names no host");
    }
    return uri;
  }

  /** Whether it is an IP address or the name of a host. */
  static boolean isUsable(String address) {
    try {
      return address.matches("[A-Za-z0-9.:-]+") && http(address, 1, "/").getPath().equals("/");
    } catch (URISyntaxException e) {
      return false;
    }
  }

  /** Whether it begins with a slash and could be asked for. */
  static boolean isPath(String path) {
    try {
      return path.startsWith("/") && new URI("http://host:1" + path).getFragment() == null;
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
