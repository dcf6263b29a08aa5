//! The `show-trace` command: serves a trace viewer and opens it in the user's browser.
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{EarlyExit, log_line, show};
use crate::mcp::http::trace::TraceServer;
use crate::mcp::shutdown::Shutdown;
use crate::trace::Trace;

pub(super) fn command() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true).value_parser(value_parser!(PathBuf));
    let port =
        Arg::new("port").long("port").value_name("PORT").default_value("0").value_parser(value_parser!(u16));
    let quiet = Arg::new("no-open").long("no-open").action(ArgAction::SetTrue);
    Command::new("show-trace")
        .about("Show a trace of a test or script, ours or Playwright's, in the browser; Ctrl-C ends")
        .bin_name("patchright-mcp show-trace")
        .arg(file.help("The ZIP file"))
        .arg(port.help("Port on 127.0.0.1; 0 for any free port"))
        .arg(quiet.help("Print the address without opening it"))
}

/// Serves the trace viewer until a signal arrives. Returns the exit status.
pub(super) fn run(matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let mistake = |reason: &dyn std::fmt::Display| EarlyExit::Mistake(format!("show-trace: {reason}"));
    let path = matches.get_one::<PathBuf>("file").cloned().unwrap_or_default();
    let port = matches.get_one::<u16>("port").copied().unwrap_or_default();
    let trace = Trace::open(&path).map_err(|error| mistake(&error))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| mistake(&error))?;
    let served = runtime.block_on(async {
        let shutdown = Shutdown::default();
        let impatience = shutdown.listen_for_signals().map_err(|error| mistake(&error))?;
        let server = TraceServer::bind(trace, port).await.map_err(|error| {
            mistake(&format!("port {port}: {error}. Choose another with --port, or 0 for any free port"))
        })?;
        let url = server.url().map_err(|error| mistake(&error))?;
        show(&url);
        if !matches.get_flag("no-open") && !open(&url) {
            log_line("show-trace: no browser could be opened; open the address yourself");
        }
        tokio::select! {
            () = server.serve() => {}
            () = shutdown.token().cancelled() => {}
            () = impatience => {}
        }
        Ok(0)
    });
    runtime.shutdown_background();
    served
}

/// Opens a URL in the user's default browser. Returns whether the system's open command was started.
fn open(url: &str) -> bool {
    let words: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["cmd", "/c", "start", ""],
        // Without a display, `xdg-open` would start a text browser in the terminal.
        _ if ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none()) => {
            return false;
        }
        _ => &["xdg-open"],
    };
    let mut program = Process::new(words[0]);
    program.args(&words[1..]).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    program.spawn().is_ok()
}
