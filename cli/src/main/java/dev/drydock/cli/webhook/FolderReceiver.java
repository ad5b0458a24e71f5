package dev.drydock.cli.webhook;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A folder that takes each body as a file of its own, {@code ID.json}: whole or not at all, and the
 * same file however often it comes. For one process at a time.
 */
public final class FolderReceiver implements Receiver {
  private final Path folder;

  /** A folder that is there. */
  public FolderReceiver(Path folder) {
    this.folder = folder;
  }

  @Override
  public Outcome post(String id, String body) {
    String name = id.replaceAll("[^A-Za-z0-9._-]", "_") + ".json";
    Path written = folder.resolve("." + name + ".new");
    try {
      try (FileChannel file =
          FileChannel.open(
              written,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.TRUNCATE_EXISTING)) {
        ByteBuffer left = ByteBuffer.wrap((body + "\n").getBytes(StandardCharsets.UTF_8));
        while (left.hasRemaining()) {
          file.write(left);
        }
        file.force(true);
      }
      Files.move(
          written,
          folder.resolve(name),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
      // It is acknowledged after this: its name has to survive a power cut as well.
      try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
        names.force(true);
      }
      return new Outcome.Taken();
    } catch (IOException e) {
      return new Outcome.Unclear(folder + " takes no files: " + e);
    }
  }

  @Override
  public void close() {}
}
