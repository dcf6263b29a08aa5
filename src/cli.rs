//! Arguments, environment and file to a `Config`.
