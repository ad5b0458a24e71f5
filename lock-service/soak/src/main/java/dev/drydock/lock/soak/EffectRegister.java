package dev.drydock.lock.soak;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * The place where effects on hosts happen: it takes an effect unless it saw a higher token for the
 * host before. Confined to one client.
 */
final class EffectRegister implements AutoCloseable {
  private final String client;
  private final SocketChannel channel;
  private final BufferedReader answers;

  EffectRegister(Path socket, String client) {
    this.client = client;
    try {
      channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      channel.connect(UnixDomainSocketAddress.of(socket));
      answers = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), UTF_8));
    } catch (IOException failed) {
      throw new UncheckedIOException("no register at " + socket, failed);
    }
  }

  /** Does something to a host; false when the token is stale and nothing was done. */
  boolean effect(String host, long token, String id) {
    try {
      ByteBuffer request = UTF_8.encode("%s %d %s %s\n".formatted(host, token, id, client));
      while (request.hasRemaining()) {
        channel.write(request);
      }
      String answer = answers.readLine();
      if (answer == null) {
        throw new IllegalStateException("the register is gone");
      }
      return answer.equals("done");
    } catch (IOException failed) {
      throw new UncheckedIOException("the register does not answer", failed);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
