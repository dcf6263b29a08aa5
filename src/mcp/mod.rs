//! The MCP face. Nothing below this module knows that MCP exists.
