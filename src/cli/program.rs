//! How to start this program again, from this process or from an MCP client.
use std::path::PathBuf;
use std::process::Command;

/// Python code that starts the program, without importing modules from the working directory.
const IN_PYTHON: &str = "import sys; sys.path[:] = [entry for entry in sys.path if entry]; \
    from patchright_mcp.__main__ import run; sys.exit(run())";

/// How to start this program: as a native executable, or as a Python package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    executable: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Binary,
    Python,
}

impl Program {
    /// Returns the running executable.
    pub fn current() -> Self {
        let executable = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("patchright-mcp"));
        Self { executable, kind: Kind::Binary }
    }

    /// Returns the Python package, run with the interpreter `executable`.
    pub fn python_package(executable: PathBuf) -> Self {
        Self { executable, kind: Kind::Python }
    }

    /// Returns a command that starts the program.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        if self.kind == Kind::Python {
            command.args(["-c", IN_PYTHON]);
        }
        command
    }

    /// Returns the executable and the arguments for a client's configuration.
    pub fn command_and_arguments(&self, arguments: &[String]) -> (String, Vec<String>) {
        let leading: &[&str] = match self.kind {
            Kind::Binary => &[],
            Kind::Python => &["-m", "patchright_mcp"],
        };
        let leading = leading.iter().map(|word| (*word).to_owned());
        let words = leading.chain(arguments.iter().cloned()).collect();
        (self.executable.display().to_string(), words)
    }
}
