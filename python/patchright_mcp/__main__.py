"""`python -m patchright_mcp`: the MCP server."""

import sys

from ._core import main


def run() -> int:
    """Serves until the client disconnects or a signal arrives; returns the exit status."""
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(run())
