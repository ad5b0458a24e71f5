package dev.drydock.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a length of time: 90s, 5m, 2h30m, 1d; a bare number is seconds. */
final class DurationParser implements ITypeConverter<Duration> {
  private static final Pattern TEXT =
      Pattern.compile("(?:(\\d{1,3})d)?(?:(\\d{1,4})h)?(?:(\\d{1,6})m)?(?:(\\d{1,8})s?)?");

  @Override
  public Duration convert(String text) {
    Matcher parts = TEXT.matcher(text);
    if (text.isEmpty() || !parts.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is no length of time such as 90s, 5m or 2h30m");
    }
    return Duration.ofDays(number(parts, 1))
        .plusHours(number(parts, 2))
        .plusMinutes(number(parts, 3))
        .plusSeconds(number(parts, 4));
  }

  private static long number(Matcher parts, int group) {
    String digits = parts.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
