//! Runs the MCP server or a background server with the settings of a [`Config`].
#[cfg(unix)]
use std::os::fd::AsFd as _;
#[cfg(unix)]
use std::path::PathBuf;
use std::sync::Arc;
#[cfg(unix)]
use std::time::Duration;

use super::flags::{LogFormat, LogLevel};
use super::log::log_line;
use super::{Config, log};
use crate::browser::{launch, remove_unfinished_downloads};
use crate::fleet::Replica;
use crate::live::{LiveView, LiveViewMode};
use crate::mcp::audit::{AuditLog, LogHead};
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::http::HttpServer;
use crate::mcp::http::live::serve_open_handovers;
use crate::mcp::server::Server;
use crate::mcp::shutdown::Shutdown;
use crate::mcp::stdio::StdioTransport;
#[cfg(unix)]
use crate::mcp::tool::Capability;
use crate::mcp::tool::Registry;
use crate::mcp::tools;
#[cfg(feature = "otlp")]
use crate::mcp::traces::SpanExporter;
use crate::secrets::Secrets;
use crate::session::Engine;
use crate::session::cooldown::Cooldown;

/// Serves until the client disconnects or a signal arrives. Returns the exit status.
pub(super) fn run(config: Config) -> i32 {
    let (level, format) = (config.log_level, config.log_format);
    for warning in &config.warnings {
        log_line(warning);
    }
    live(level, format, config.engine.secrets.clone(), serve(config))
}

/// The configuration of a background server.
#[cfg(unix)]
#[derive(Debug)]
pub(super) struct BackgroundConfig {
    pub server: Config,
    /// The command-line options with which the server was started.
    pub options: Vec<String>,
    pub socket: PathBuf,
    pub idle_limit: Duration,
}

/// Runs the background server of a folder, detached from the terminal. Returns the exit status.
#[cfg(unix)]
pub(super) fn run_in_background(config: BackgroundConfig) -> i32 {
    // Fails only if this process already leads a process group, which is then not the client's group.
    let _ = rustix::process::setsid();
    let secrets = config.server.engine.secrets.clone();
    live(config.server.log_level, config.server.log_format, secrets, async {
        let shutdown = Shutdown::default();
        let impatience = match shutdown.listen_for_signals() {
            Ok(impatience) => impatience,
            Err(error) => return cannot_start(&error),
        };
        let served = tokio::select! {
            served = super::background::serve(config, shutdown.clone()) => served,
            () = impatience => Ok(()),
        };
        match served {
            Ok(()) => shutdown.reason().exit_status(),
            Err(error) => cannot_start(&error),
        }
    })
}

/// Starts logging, runs `serving` to completion, and cleans up. Returns the exit status of `serving`.
fn live(level: LogLevel, format: LogFormat, secrets: Secrets, serving: impl Future<Output = i32>) -> i32 {
    log::start(level, format, secrets);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            let status = cannot_start(&error);
            log::finish();
            return status;
        }
    };
    let status = runtime.block_on(serving);
    // Does not wait for a thread that may still be blocked on reading a terminal.
    runtime.shutdown_background();
    // A second signal cuts the orderly shutdown short, so browsers may still run.
    launch::kill_all();
    remove_unfinished_downloads();
    log::finish();
    status
}

fn cannot_start(error: &dyn std::fmt::Display) -> i32 {
    log_line(&format!("cannot start: {error}"));
    1
}

async fn serve(mut config: Config) -> i32 {
    let shutdown = Shutdown::default();
    let impatience = match shutdown.listen_for_signals() {
        Ok(impatience) => impatience,
        Err(error) => return cannot_start(&error),
    };
    let http = config.http.take();
    #[cfg(unix)]
    let runs_programs = config.capabilities.contains(&Capability::Code);
    let replica = config.replica.take().map(|options| Replica::new(&options)).transpose();
    let replica = match replica {
        Ok(replica) => replica,
        Err(error) => return cannot_start(&error),
    };
    let name = replica.as_ref().map(|replica| replica.id().to_owned());
    let live =
        (config.live.mode != Some(LiveViewMode::Off)).then(|| LiveView::new(config.live.clone(), name));
    #[cfg(feature = "otlp")]
    let traces = config.traces.take().map(SpanExporter::new).map(Arc::new);
    let dispatcher = match audited(config) {
        Ok(dispatcher) => dispatcher,
        Err(error) => return cannot_start(&error),
    };
    #[cfg(feature = "otlp")]
    let dispatcher = match &traces {
        Some(traces) => dispatcher.with_span_exporter(Arc::clone(traces)),
        None => dispatcher,
    };
    let dispatcher = match replica {
        Some(replica) => dispatcher.with_replica(replica),
        None => dispatcher,
    };
    let dispatcher = Arc::new(match &live {
        Some(live) => dispatcher.with_live(live.clone()),
        None => dispatcher,
    });
    match http {
        None => {
            if let Some(live) = live {
                tokio::spawn(serve_open_handovers(live, shutdown.token().clone()));
            }
            let (token, server) = (shutdown.token().clone(), Server::new(dispatcher));
            tokio::select! {
                served = async {
                    #[cfg(unix)]
                    if runs_programs {
                        let (input, output) = take_streams()?;
                        server.serve(StdioTransport::new(input, output, token), &shutdown).await;
                        return Ok(());
                    }
                    let (input, output) = rmcp::transport::stdio_pipes();
                    server.serve(StdioTransport::new(input, output, token), &shutdown).await;
                    std::io::Result::Ok(())
                } => if let Err(error) = served { return cannot_start(&error) },
                () = impatience => {}
            }
        }
        Some(options) => {
            let key = options.keys.generated_key().map(str::to_owned);
            let server = match HttpServer::bind(options).await {
                Ok(server) => server,
                Err(error) => return cannot_start(&error),
            };
            if let Some(key) = key {
                log_line(&format!("API key for this run: {key}"));
            }
            log_line(&format!("Listening on {}", server.url()));
            tokio::select! {
                () = server.serve(dispatcher, &shutdown) => {}
                () = impatience => {}
            }
        }
    }
    #[cfg(feature = "otlp")]
    if let Some(traces) = traces {
        traces.finish().await;
    }
    shutdown.reason().exit_status()
}

/// Reserves standard input and output for MCP: other code in this process, and child processes, read
/// `/dev/null` and write to standard error instead.
#[cfg(unix)]
fn take_streams() -> std::io::Result<(tokio::fs::File, tokio::fs::File)> {
    let input = std::io::stdin().as_fd().try_clone_to_owned()?;
    let output = std::io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(std::io::stderr())?;
    let file = |stream: std::os::fd::OwnedFd| tokio::fs::File::from_std(stream.into());
    Ok((file(input), file(output)))
}

/// Like [`dispatcher`], but with the audit log of `--audit`, if set.
pub(super) fn audited(config: Config) -> Result<Dispatcher, String> {
    let audit = config.audit.as_deref().map(AuditLog::open).transpose();
    let audit = audit.map_err(|reason| format!("--audit: {reason}"))?;
    if let Some(log) = &audit {
        // With this digest from standard error, lines cut off the end of the audit log can be detected later.
        let LogHead { lines, digest } = log.head();
        log_line(&format!("The audit log goes on after {lines} lines; head {digest}"));
    }
    Ok(dispatcher(config).with_audit(audit))
}

/// Creates a dispatcher with the tools, a browser that starts on demand, and the cooldown of this process.
pub fn dispatcher(config: Config) -> Dispatcher {
    let registry = Registry::new(
        tools::ALL_TOOLS.iter().chain(&tools::claude::CLAUDE_TOOLS),
        &config.capabilities,
        &config.toolsets,
    );
    let engine = Engine::new(config.engine);
    let cooldown = Cooldown::process_wide();
    cooldown.set_period(config.cooldown.as_secs_f64());
    if let Some(folder) = &config.state_dir {
        cooldown.store_in(folder, Arc::new(log_line));
    }
    Dispatcher::new(registry, engine, config.settings).with_cooldown(cooldown)
}
