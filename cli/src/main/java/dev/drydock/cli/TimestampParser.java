package dev.drydock.cli;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a moment with its offset: people in several zones read the same. */
final class TimestampParser implements ITypeConverter<Instant> {
  @Override
  public Instant convert(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException none) {
      throw new TypeConversionException(
          "'" + text + "' is no moment; write such as 2026-11-21T02:30:00Z");
    }
  }
}
