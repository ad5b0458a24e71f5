package dev.drydock.cli;

import dev.drydock.api.ErrorDetail;
import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A file given on the command line, or a part of one, and where in it a fault is.
 *
 * @param before how many lines of the file come before
 */
record TextFile(Path file, String content, int before) {
  private static final long LIMIT_BYTES = 1 << 20;

  /** A whole file. */
  TextFile(Path file, String content) {
    this(file, content, 0);
  }

  /** Reads all files or says what is wrong with each that cannot be read. */
  static List<TextFile> readAll(List<Path> files, String undone) {
    return readAll(files, LIMIT_BYTES, undone);
  }

  /** The same for files of which each may be that large. */
  static List<TextFile> readAll(List<Path> files, long limitBytes, String undone) {
    List<TextFile> texts = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    for (Path file : files) {
      try {
        if (Files.size(file) > limitBytes) {
          faults.add(file + ": is larger than " + limitBytes + " bytes");
        } else {
          texts.add(new TextFile(file, withoutMark(Files.readString(file))));
        }
      } catch (NoSuchFileException e) {
        faults.add(file + ": there is no such file");
      } catch (MalformedInputException e) {
        faults.add(file + ": is not UTF-8 text");
      } catch (IOException e) {
        faults.add(file + ": cannot be read: " + e.getMessage());
      }
    }
    if (!faults.isEmpty()) {
      throw CommandFailure.input(faults, undone);
    }
    return texts;
  }

  /** Some editors begin a file with a byte order mark, which is no part of its text. */
  static String withoutMark(String text) {
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  /** The file, and where in it this part begins unless it is all of it. */
  String name() {
    return file + (before == 0 ? "" : ":" + (before + 1));
  }

  /** FILE:LINE: FIELD, as far as the detail names them. */
  String place(ErrorDetail detail) {
    String line = detail.getLine() == null ? "" : ":" + (before + detail.getLine());
    return file + line + (detail.getPath().isEmpty() ? "" : ": " + detail.getPath());
  }
}
