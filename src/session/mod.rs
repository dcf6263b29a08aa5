//! What one client works in: workspaces, sessions with an expiry, the cooldown.
