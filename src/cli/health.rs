//! The `health` command: checks an HTTP server's health, for container images without an HTTP client.
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::{EarlyExit, log_line, show};

const LIMIT: Duration = Duration::from_secs(4);

pub(super) fn command() -> Command {
    let port = std::env::var("PATCHRIGHT_MCP_PORT").ok().filter(|port| !port.is_empty());
    let url = format!("http://127.0.0.1:{}/health", port.as_deref().unwrap_or("8931"));
    Command::new("health")
        .about("Check the health of a server over HTTP")
        .bin_name("patchright-mcp health")
        .arg(Arg::new("url").value_name("URL").default_value(url))
        .arg(
            Arg::new("or-stdio")
                .long("or-stdio")
                .action(ArgAction::SetTrue)
                .help("Succeed if nothing listens, as for a server on standard input"),
        )
}

/// Requests the server's health URL. Returns exit status 0 if the server is healthy, otherwise 1.
pub(super) fn run(matches: &ArgMatches) -> Result<i32, EarlyExit> {
    let url = matches.get_one::<String>("url").cloned().unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| EarlyExit::Mistake(format!("health: {error}")))?;
    let asked = runtime.block_on(async {
        // The server runs on this machine, so the proxy variables of the environment must not apply.
        let client = reqwest::Client::builder().no_proxy().timeout(LIMIT).build()?;
        client.get(&url).send().await
    });
    match asked {
        Ok(answer) if answer.status().is_success() => {
            show("well");
            Ok(0)
        }
        Ok(answer) => {
            log_line(&format!("health: the server answers {}", answer.status()));
            Ok(1)
        }
        Err(error) if error.is_connect() && matches.get_flag("or-stdio") => Ok(0),
        Err(error) => {
            log_line(&format!("health: {}", reason(&error)));
            Ok(1)
        }
    }
}

/// Returns the message of the innermost cause, which is the most specific one.
fn reason(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string()
}
