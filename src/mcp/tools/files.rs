//! Files for pages.
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{ActsOn, ElementHandle, Page};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::tool::{Effect, Tool};
use crate::session::Roots;

/// Give files to the open file chooser, or to the page's file input. Without paths, cancel the chooser.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FileUpload {
    #[serde(default)]
    pub paths: Vec<String>,
}

impl Tool for FileUpload {
    const NAME: &'static str = "browser_file_upload";
    const TITLE: &'static str = "Upload files";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        if self.paths.is_empty() {
            page.take_file_chooser().ok_or(Error::NoFileChooser)?;
            reply.say("File chooser cancelled");
            return Ok(());
        }
        let paths = readable(&self.paths, &call.roots().await)?;
        let chooser = page.take_file_chooser();
        let input = match &chooser {
            Some(chooser) => match chooser.backend_node_id {
                Some(node) => ElementHandle::by_node(&chooser.frame, node).await?,
                None => return Err(unsupported()),
            },
            None => file_input(&page).await?.ok_or(Error::NoFileChooser)?,
        };
        let give = async {
            let given = input.set_input_files(&paths).await;
            if let (Err(_), Some(chooser)) = (&given, chooser) {
                // It still waits: what was wrong with the files can be mended.
                page.reopen_file_chooser(chooser);
            }
            given
        };
        call.act(&page, ActsOn::Page, Box::pin(give)).await?;
        let names: Vec<_> = paths.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        reply.say(format!("Uploaded {} file(s): {}", names.len(), names.join(", ")));
        reply.show(View::Changes);
        Ok(())
    }
}

/// The real paths. All that cannot be read are told at once.
pub(super) fn readable(paths: &[String], roots: &Roots) -> Result<Vec<PathBuf>> {
    let (good, bad): (Vec<_>, Vec<_>) =
        paths.iter().map(|path| roots.readable(path)).partition(Result::is_ok);
    let mut errors: Vec<Error> = bad.into_iter().filter_map(Result::err).collect();
    match errors.len() {
        0 => Ok(good.into_iter().flatten().collect()),
        1 => Err(errors.remove(0)),
        _ => Err(Error::InvalidArguments { problems: errors.iter().map(Error::to_string).collect() }),
    }
}

fn unsupported() -> Error {
    let reason = "the page opened a picker without an input, which only a person can answer".to_owned();
    Error::Unsupported { what: "choosing files", reason }
}

/// The first file input of the page, hidden ones and those in frames included.
async fn file_input(page: &Page) -> Result<Option<ElementHandle>> {
    for frame in page.frames() {
        let Ok(world) = frame.utility().await else { continue };
        if let Some(handle) = world.call_handle("fileInputs", Vec::new()).await? {
            return Ok(Some(ElementHandle::new(world, handle)));
        }
    }
    Ok(None)
}
