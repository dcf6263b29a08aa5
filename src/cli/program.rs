//! How this program is started again: by itself, and by others.
use std::path::PathBuf;
use std::process::Command;

/// Runs the program inside a Python, wherever it is started: a module in the working directory is not taken for ours.
const IN_PYTHON: &str = "import sys; sys.path[:] = [entry for entry in sys.path if entry]; \
    from patchright_mcp.__main__ import run; sys.exit(run())";

/// A program, and what stands before its own arguments.
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
    /// The binary that is running.
    pub fn this() -> Self {
        let executable = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("patchright-mcp"));
        Self { executable, kind: Kind::Binary }
    }

    /// The package in this Python.
    pub fn in_python(executable: PathBuf) -> Self {
        Self { executable, kind: Kind::Python }
    }

    /// Starts it from here.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.executable);
        if self.kind == Kind::Python {
            command.args(["-c", IN_PYTHON]);
        }
        command
    }

    /// What a client's configuration says to start it, with these arguments.
    pub fn words(&self, arguments: &[String]) -> (String, Vec<String>) {
        let leading: &[&str] = match self.kind {
            Kind::Binary => &[],
            Kind::Python => &["-m", "patchright_mcp"],
        };
        let leading = leading.iter().map(|word| (*word).to_owned());
        let words = leading.chain(arguments.iter().cloned()).collect();
        (self.executable.display().to_string(), words)
    }
}
