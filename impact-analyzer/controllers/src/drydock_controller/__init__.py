"""Controllers of teams: programs that say which of their instances may go down."""
