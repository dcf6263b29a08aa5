//! Downloads: receives each in a temporary folder, and moves it to the requested folder when it is complete.
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::answers::{Answer, Command};
use super::driver::Driver;
use super::errors::Refusal;
use crate::folders::make_private;

/// The folders for the downloads of a browser context.
#[derive(Debug)]
pub(super) struct DownloadFolder {
    wanted: PathBuf,
    /// A temporary folder in the download folder, for incomplete files; removed with its context.
    arriving: TempDir,
}

impl DownloadFolder {
    fn new(wanted: &Path) -> io::Result<Self> {
        make_private(wanted)?;
        let mut made = tempfile::Builder::new();
        made.prefix(".firefox-");
        #[cfg(unix)]
        made.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let arriving = made.tempdir_in(wanted)?;
        Ok(Self { wanted: wanted.to_owned(), arriving })
    }
}

/// Executes `Browser.setDownloadBehavior`: saves a context's downloads to a folder, or rejects downloads.
pub(super) async fn keep(command: Command<'_>, context: String) -> Answer {
    let behavior = match command.params["downloadPath"].as_str() {
        Some(folder) => {
            let folder =
                DownloadFolder::new(Path::new(folder)).map_err(|error| Refusal::new(error.to_string()))?;
            let behavior = json!({"type": "allowed", "destinationFolder": folder.arriving.path()});
            command.driver.state().downloads.insert(context.clone(), folder);
            behavior
        }
        None => {
            command.driver.state().downloads.remove(&context);
            json!({"type": "denied"})
        }
    };
    let keep = json!({"downloadBehavior": behavior, "userContexts": [context]});
    command.driver.ask("browser.setDownloadBehavior", keep).await
}

pub(super) fn begun(driver: &Driver, context: &str, event: &Value) {
    let text = |name: &str| event[name].as_str().unwrap_or_default().to_owned();
    let guid = uuid::Uuid::new_v4().to_string();
    let arriving = {
        let mut state = driver.state();
        state.download_navigations.add(&text("navigation"));
        state.running_downloads.push((text("navigation"), text("url"), guid.clone()));
        let tab = state.frames.get(context).and_then(|frame| state.tabs.get(&frame.tab));
        let folder = tab.and_then(|tab| state.downloads.get(&tab.user_context));
        folder.map(|folder| folder.arriving.path().to_owned()).unwrap_or_default()
    };
    let name = without_number(&text("suggestedFilename"), |name| arriving.join(name).exists());
    let begun = json!({"frameId": context, "guid": guid, "url": event["url"], "suggestedFilename": name});
    driver.emit("", "Browser.downloadWillBegin", begun);
}

/// Returns the suggested file name without a number, such as `(1)`, that Firefox appends to avoid a conflict.
fn without_number(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let proposed = name.rfind('(').and_then(|at| {
        let (number, ending) = name[at + 1..].split_once(')')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_number && (ending.is_empty() || ending.starts_with('.'))).then(|| name[..at].to_owned() + ending)
    });
    proposed.filter(|proposed| is_taken(proposed)).unwrap_or_else(|| name.to_owned())
}

pub(super) fn ended(driver: &Driver, event: &Value) {
    let is_it = |known: &(String, String, String)| {
        event["navigation"].as_str() == Some(&*known.0) && event["url"].as_str() == Some(&*known.1)
    };
    let arrived = event["filepath"].as_str().map(Path::new).filter(|_| event["status"] == "complete");
    let (guid, folder) = {
        let mut state = driver.state();
        let Some(known) = state.running_downloads.iter().position(is_it) else { return };
        let guid = state.running_downloads.remove(known).2;
        // Searches the folders of all contexts, since the download's tab may be closed.
        let folder = state
            .downloads
            .values()
            .find(|folder| arrived.is_some_and(|arrived| arrived.starts_with(folder.arriving.path())));
        (guid, folder.map(|folder| folder.wanted.clone()))
    };
    let is_kept = match (arrived, folder) {
        (Some(arrived), Some(folder)) => std::fs::rename(arrived, folder.join(&guid)).is_ok(),
        _ => false,
    };
    let state = if is_kept { "completed" } else { "canceled" };
    driver.emit(
        "",
        "Browser.downloadProgress",
        json!({"guid": guid, "totalBytes": 0, "receivedBytes": 0, "state": state}),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_firefox_gave_is_no_part_of_the_name() {
        let taken = |name: &str| ["report.bin", "notes", "a.tar.gz"].contains(&name);
        for (filename, proposed) in [
            ("report(1).bin", "report.bin"),
            ("notes(12)", "notes"),
            ("a(2).tar.gz", "a.tar.gz"),
            ("other(1).bin", "other(1).bin"),
            ("report(x).bin", "report(x).bin"),
            ("report.bin", "report.bin"),
        ] {
            assert_eq!(without_number(filename, taken), proposed);
        }
    }
}
