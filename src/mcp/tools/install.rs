//! The tool that installs a browser (`browser_install`).
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::find::{Channel, find};
use crate::browser::install::{DEFAULT_STALL_TIMEOUT, InstallProgress, install};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};
use crate::session::BrowserSource;

/// Report which browser is ready, or download Chromium if none is installed.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Install {}

impl Tool for Install {
    const NAME: &'static str = "browser_install";
    const TITLE: &'static str = "Install the browser";
    const EFFECT: ToolEffect = ToolEffect::Sets;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let engine = call.workspace.engine();
        if let Some(browser) = engine.running_browser() {
            let product = &browser.version().product;
            reply.say(format!(
                "Browser is already installed and running ({product}). No installation needed."
            ));
            return Ok(());
        }
        let BrowserSource::Launch(launch) = &engine.options().source else {
            reply.say("The server attaches to a browser that runs elsewhere. No installation needed.");
            return Ok(());
        };
        match find(&launch.browser_query()) {
            Ok(found) => {
                let path = found.executable.display();
                reply.say(format!("Browser is already installed ({path}). No installation needed."));
                Ok(())
            }
            // The configured executable does not exist, and a download would not provide it.
            Err(error) if launch.executable.is_some() => Err(error),
            Err(Error::BrowserNotFound { .. }) if launch.channel != Channel::Chromium => {
                let channel = launch.channel;
                let reason =
                    format!("--browser asks for {channel}, which is not here and cannot be downloaded");
                Err(Error::BrowserInstall { reason })
            }
            Err(Error::BrowserNotFound { .. }) => {
                call.progress.set_message("downloading Chromium");
                let mirror = call.settings.download_host.as_deref();
                let describe = |step| {
                    call.progress.set_message(match step {
                        InstallProgress::Arrived { bytes } => {
                            format!("downloading Chromium: {} MB", bytes >> 20)
                        }
                        InstallProgress::Unpacking => "unpacking Chromium".to_owned(),
                    });
                };
                let folder = launch.browsers_dir.as_deref();
                let path = install(mirror, folder, DEFAULT_STALL_TIMEOUT, &describe).await?;
                reply.say(format!("Chromium was downloaded and installed ({}).", path.display()));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
