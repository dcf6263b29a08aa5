//! The native executable, for use without Python. All its code is in the library.
use patchright_mcp::cli::{self, Program};

fn main() {
    let arguments = std::env::args_os().skip(1).collect();
    std::process::exit(cli::main(&Program::current(), arguments));
}
