"""The one exception of the stack: an expected failure, told to a person in full sentences and without a trace."""


class StackError(Exception):
    """What failed, which object, and what to do next. ``exit_code`` follows the CLI's habits (1 failed, 2 usage)."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code
