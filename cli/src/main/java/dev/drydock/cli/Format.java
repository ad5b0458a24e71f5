package dev.drydock.cli;

/** How results are written; everything but table and wide is for programs and alone on stdout. */
enum Format {
  TABLE,
  WIDE,
  JSON,
  JSONL,
  YAML,
  NAME;

  boolean isForPeople() {
    return this == TABLE || this == WIDE;
  }
}
