from collections.abc import Sequence

__all__ = ["__version__", "main"]

__version__: str
"""The version of the engine, which is the version of the package."""

def main(arguments: Sequence[str]) -> int:
    """Runs the command line until it is done, without holding the interpreter.

    Interrupts belong to the server from then on: Ctrl-C ends it and its browser in good order
    instead of raising `KeyboardInterrupt`.

    Args:
        arguments: What stands behind the program's name.

    Returns:
        The exit status.

    Raises:
        RuntimeError: In a fork of the process that used the engine first.
    """
