//! The `audit verify` command: detects whether lines of an audit log (`--audit`) were altered.
use std::fs::File;
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};

use super::{EarlyExit, log_line, show};
use crate::mcp::audit::verify;

/// Returns the command-line definition of `audit`.
pub(super) fn command() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf));
    let head = Arg::new("head").long("head").value_name("DIGEST");
    let head = head.help("Digest of a line that was the last one once: finds out whether the end is missing");
    Command::new("audit")
        .about(
            "Check an audit log of --audit: the first line that was changed, removed, inserted or reordered",
        )
        .bin_name("patchright-mcp audit")
        .subcommand_required(true)
        .subcommand(Command::new("verify").about("Check a log").arg(file).arg(head))
}

/// Checks the log and prints the result. Returns exit status 0 if the log is intact, 1 if it was altered.
pub(super) fn run(matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let Some(("verify", given)) = matches.subcommand() else { return Ok(0) };
    let path = given.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    let log = File::open(&path);
    let log = log.map_err(|error| EarlyExit::Mistake(format!("audit: {}: {error}", path.display())))?;
    match verify(log, given.get_one::<String>("head").map(String::as_str)) {
        Ok(head) => {
            show(&format!("{} lines, as they were written; head {}", head.lines, head.digest));
            Ok(0)
        }
        Err(problem) => {
            log_line(&format!("audit: {}: {problem}", path.display()));
            Ok(1)
        }
    }
}
