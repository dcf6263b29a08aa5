//! The DevTools protocol: JSON over a pipe or a socket. Knows no page.
