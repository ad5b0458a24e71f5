"""Which of the known signatures what was found on a host fits: a table, and pure functions over facts."""
