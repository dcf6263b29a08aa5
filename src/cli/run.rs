//! From a [`Config`] to a running server.
use std::sync::Arc;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;

use super::flags::LogLevel;
use super::{Config, tell};
use crate::browser::{launch, remove_unfinished};
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::http::HttpServer;
use crate::mcp::server::Server;
use crate::mcp::shutdown::Shutdown;
use crate::mcp::stdio::Lines;
use crate::mcp::tool::Registry;
use crate::mcp::tools;
use crate::session::Engine;
use crate::session::cooldown::Cooldown;

/// Serves until the client leaves or a signal comes; returns the exit status.
pub(super) fn run(config: Config) -> i32 {
    log_to_stderr(config.log_level);
    for warning in &config.warnings {
        tell(warning);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tell(&format!("cannot start: {error}"));
            return 1;
        }
    };
    let status = runtime.block_on(serve(config));
    // A thread may be waiting for a line from a terminal; nobody waits for that thread.
    runtime.shutdown_background();
    // Somebody may have lost patience with an end in order.
    launch::end_all();
    remove_unfinished();
    status
}

async fn serve(mut config: Config) -> i32 {
    let shutdown = Shutdown::default();
    let impatience = match shutdown.on_signals() {
        Ok(impatience) => impatience,
        Err(error) => {
            tell(&format!("cannot start: {error}"));
            return 1;
        }
    };
    let http = config.http.take();
    let dispatcher = Arc::new(dispatcher(config));
    match http {
        None => {
            let (input, output) = rmcp::transport::stdio_pipes();
            let transport = Lines::new(input, output, shutdown.token().clone());
            tokio::select! {
                () = Server::new(dispatcher).serve(transport, &shutdown) => {}
                () = impatience => {}
            }
        }
        Some(options) => {
            let key = options.keys.generated().map(str::to_owned);
            let server = match HttpServer::bind(options).await {
                Ok(server) => server,
                Err(error) => {
                    tell(&format!("cannot start: {error}"));
                    return 1;
                }
            };
            if let Some(key) = key {
                tell(&format!("API key for this run: {key}"));
            }
            tell(&format!("Listening on {}", server.url()));
            tokio::select! {
                () = server.serve(dispatcher, &shutdown) => {}
                () = impatience => {}
            }
        }
    }
    shutdown.reason().exit_status()
}

/// The tools as they are configured, with a browser that starts when it is needed and the pause of this process.
pub fn dispatcher(config: Config) -> Dispatcher {
    let registry = Registry::new(&tools::ALL, &config.capabilities, &config.toolsets);
    let engine = Engine::new(config.engine);
    let cooldown = Cooldown::of_this_process();
    cooldown.set_period(config.cooldown.as_secs_f64());
    if let Some(folder) = &config.state_dir {
        cooldown.keep_in(folder, Arc::new(tell));
    }
    Dispatcher::new(registry, engine, config.settings).with_cooldown(cooldown)
}

/// Standard output is the protocol's. What other crates log could hold what people type, so only their errors are heard.
fn log_to_stderr(level: LogLevel) {
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let filter =
        Targets::new().with_target("patchright_mcp", level).with_default(level.min(LevelFilter::ERROR));
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    // Somebody who runs us twice in one process has set this already.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines).with(filter));
}
