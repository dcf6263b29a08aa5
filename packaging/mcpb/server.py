"""What Claude Desktop starts: the server of the package that this bundle depends on."""

import sys

from patchright_mcp.__main__ import run

sys.exit(run())
