package dev.drydock.adapter.staticlist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The allocation list as it is now. A list that changes is read anew; an entry in it that nobody
 * can use is told, and stays what it was, or is left out where it is new: all others are served. A
 * list that is wrong as a whole changes nothing. Thread-safe.
 */
final class AllocationWatch implements Supplier<Allocation> {
  private static final Logger LOG = LoggerFactory.getLogger(AllocationWatch.class);

  private record Stamp(FileTime changed, long bytes) {}

  private static final Stamp NONE = new Stamp(FileTime.fromMillis(0), -1);

  private final Path file;
  private Stamp read;
  private Allocation now;

  /**
   * @throws AllocationFile.Faulty if anything is wrong with it
   */
  AllocationWatch(Path file) throws AllocationFile.Faulty {
    this.file = file;
    this.read = stamp(file);
    this.now = AllocationFile.read(file);
  }

  @Override
  public synchronized Allocation get() {
    try {
      Stamp stamp = stamp(file);
      if (!stamp.equals(read) && !stamp.equals(NONE)) {
        read = stamp;
        now = changed();
        LOG.info("{}: {} hosts, {} instances", file, now.hosts().size(), now.instances().size());
      }
    } catch (AllocationFile.Faulty e) {
      e.faults().forEach(fault -> LOG.error("{}: {}; the list stays as it was", file, fault));
    }
    return now;
  }

  private Allocation changed() throws AllocationFile.Faulty {
    List<String> odd = new ArrayList<>();
    Allocation usable = AllocationFile.parseUsable(AllocationFile.text(file), now, odd);
    if (!usable.isReachedLike(now)) {
      throw new AllocationFile.Faulty(
          List.of("scheduler, source, ssh and rotation change with a restart of the adapter only"));
    }
    odd.forEach(fault -> LOG.error("{}: {}; of this entry nothing is changed", file, fault));
    return usable;
  }

  /** Of a file that is away for a moment, as while it is replaced, that of none. */
  private static Stamp stamp(Path file) {
    try {
      return new Stamp(Files.getLastModifiedTime(file), Files.size(file));
    } catch (IOException e) {
      return NONE;
    }
  }
}
