"""Runs MCP clients and agent frameworks against the server, with a scripted model in place of a real one."""
