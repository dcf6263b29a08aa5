//! Files for pages.
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{ElementHandle, Page};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::tool::{Effect, Tool};

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
        let chooser = page.take_file_chooser();
        if self.paths.is_empty() {
            if chooser.is_none() {
                return Err(Error::NoFileChooser);
            }
            reply.say("File chooser cancelled");
            return Ok(());
        }
        let paths = self
            .paths
            .iter()
            .map(|path| call.settings.roots.readable(path))
            .collect::<Result<Vec<PathBuf>>>()?;
        let input = match chooser {
            Some(chooser) => match chooser.backend_node_id {
                Some(node) => ElementHandle::by_node(&chooser.frame, node).await?,
                None => return Err(unsupported()),
            },
            None => file_input(&page).await?.ok_or(Error::NoFileChooser)?,
        };
        call.act(&page, None, Box::pin(input.set_input_files(&paths))).await?;
        let names: Vec<_> = paths.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        reply.say(format!("Uploaded {} file(s): {}", names.len(), names.join(", ")));
        reply.show(View::Changes);
        Ok(())
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
