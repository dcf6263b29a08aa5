//! Converts flags to the options of the browser and its contexts.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::flags::{Flags, InputPace, OriginList, Size};
use super::{EarlyExit, mistake};
use crate::browser::find::Channel;
use crate::browser::input::InputStyle;
use crate::browser::launch::LaunchOptions;
use crate::browser::policy::Policy;
use crate::browser::proxy::Proxy;
use crate::browser::{ContextOptions, Device, PERMISSIONS, StorageState};
use crate::mcp::settings::Settings;

/// Returns the options for launching the browser.
pub(super) fn launch_options(flags: &Flags) -> LaunchOptions {
    let channel =
        flags.browser.browser.and_then(|browser| Channel::from_name(browser.into()).ok()).unwrap_or_default();
    LaunchOptions {
        channel,
        browsers_dir: flags.tools.browsers_dir.clone(),
        arguments: flags.browser.arg.clone().unwrap_or_default(),
        executable: flags.browser.executable_path.clone(),
        headless: flags.browser.headless,
        hides_webdriver: flags.browser.hide_webdriver == Some(true),
        sandbox: flags.browser.no_sandbox.map(|without| !without),
        user_data_dir: flags.browser.user_data_dir.clone(),
        // Contexts override these for pages. Other targets, such as service workers, use these values.
        user_agent: flags.pages.user_agent.clone(),
        locale: flags.pages.locale.clone(),
        ..LaunchOptions::default()
    }
}

/// Returns the options for new contexts. Reads the files that the flags name.
pub(super) fn context_options(flags: &Flags) -> Result<ContextOptions, EarlyExit> {
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path);
        text.map_err(|error| EarlyExit::Mistake(format!("--init-script: {}: {error}", path.display())))
    };
    let proxy = flags
        .engine
        .proxy_server
        .as_ref()
        .map(|server| Proxy::new(server, None, None, flags.engine.proxy_bypass.clone()));
    let proxy = proxy.transpose().map_err(|error| mistake("proxy-server", &error.to_string()))?;
    let listed =
        |origins: &Option<OriginList>| origins.as_ref().map(|list| list.0.clone()).unwrap_or_default();
    let policy = Policy {
        allowed: listed(&flags.pages.allowed_origins),
        blocked: listed(&flags.pages.blocked_origins),
        block_private: flags.pages.block_private_network == Some(true),
        ..Policy::default()
    };
    let state = flags.pages.storage_state.as_ref().map(|path| StorageState::read(path));
    let state = state.transpose().map_err(|error| mistake("storage-state", &error.to_string()))?;
    let permissions = flags.pages.grant_permissions.clone().unwrap_or_default();
    if let Some(name) = permissions.iter().find(|name| PERMISSIONS.iter().all(|(known, _)| known != name)) {
        let names = PERMISSIONS.map(|(name, _)| name).join(", ");
        return Err(mistake(
            "grant-permissions",
            &format!("{name:?} is not a permission; use one of {names}"),
        ));
    }
    let device = flags
        .pages
        .device
        .as_deref()
        .map(Device::named)
        .transpose()
        .map_err(|error| mistake("device", &error))?;
    let mut options = ContextOptions {
        proxy,
        policy: Arc::new(policy),
        storage_state: state.map(Arc::new),
        permissions,
        ignore_https_errors: flags.pages.ignore_https_errors == Some(true),
        viewport: flags.pages.viewport_size.map(|Size { width, height }| (width, height)),
        user_agent: flags.pages.user_agent.clone(),
        locale: flags.pages.locale.clone(),
        timezone: flags.pages.timezone.clone(),
        downloads: Some(absolute(
            flags.tools.output_dir.as_deref().unwrap_or(&Settings::default().files.output_dir),
        )),
        catch_file_choosers: true,
        input: match flags.pages.input {
            Some(InputPace::Instant) => InputStyle::Instant,
            Some(InputPace::Natural) | None => InputStyle::Natural,
        },
        init_scripts: flags.pages.init_script.iter().flatten().map(read).collect::<Result<_, _>>()?,
        ..ContextOptions::default()
    };
    if let Some(device) = device {
        let mut look = options.device_profile();
        device.apply(&mut look);
        options.set_device_profile(look);
    }
    Ok(options)
}

/// Returns the absolute path, since the browser has its own working directory.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
