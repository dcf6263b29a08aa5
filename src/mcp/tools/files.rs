//! The tool that uploads files (`browser_file_upload`).
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{ActionTarget, ControlKind, ElementHandle, OpenedFile, Page};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::session::Roots;

/// Upload files to the open file chooser or the page's file input, or drop them on ref. Without arguments, cancel the
/// chooser.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FileUpload {
    #[serde(default)]
    pub paths: Vec<String>,
    /// Ref or selector.
    pub r#ref: Option<String>,
    /// Texts to drop on ref: {MIME type: text}.
    #[serde(default)]
    pub data: BTreeMap<String, String>,
}

impl Tool for FileUpload {
    const NAME: &'static str = "browser_file_upload";
    const TITLE: &'static str = "Upload files";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let element = match &self.r#ref {
            Some(target) => Some(target::find_and_describe(call, &page, target, None).await?),
            None => None,
        };
        let mut input = None;
        if let Some((element, description)) = element {
            let takes_files = self.data.is_empty() && !self.paths.is_empty();
            if !(takes_files && matches!(element.control_kind(None).await, Ok(ControlKind::File))) {
                return self.drop_on(element, description, call, &page, reply).await;
            }
            input = Some(element);
        } else if !self.data.is_empty() {
            let problems = vec!["`data` goes with `ref`: where to drop it".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        if self.paths.is_empty() {
            page.take_file_chooser().ok_or(Error::NoFileChooser)?;
            reply.say("File chooser cancelled");
            return Ok(());
        }
        let files = opened(&self.paths, &call.roots().await)?;
        call.confirm_upload(&page, &self.paths).await?;
        let names: Vec<_> = files
            .iter()
            .filter_map(|file| Some(file.path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        let chooser = if input.is_none() { page.take_file_chooser() } else { None };
        let input = match (input, &chooser) {
            (Some(input), _) => input,
            (None, Some(chooser)) => match chooser.backend_node_id {
                Some(node) => ElementHandle::by_backend_node_id(&chooser.frame, node).await?,
                None => return Err(unsupported()),
            },
            (None, None) => file_input(&page).await?.ok_or(Error::NoFileChooser)?,
        };
        let mut arrived = 0;
        let give = async {
            match (input.set_opened_files(files).await, chooser) {
                (Ok(count), _) => arrived = count,
                (Err(error), None) => return Err(error),
                (Err(error), Some(chooser)) => {
                    // The chooser stays open, so that the caller can try again with other files.
                    page.reopen_file_chooser(chooser);
                    return Err(error);
                }
            }
            Ok(())
        };
        call.act_and_settle(&page, ActionTarget::Given, Box::pin(give)).await?;
        reply.say(format!("Uploaded {arrived} file(s): {}", names.join(", ")));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

impl FileUpload {
    /// Drops files and texts on an element.
    async fn drop_on(
        self,
        element: ElementHandle,
        description: String,
        call: &Call<'_>,
        page: &Page,
        reply: &mut Reply,
    ) -> Result<()> {
        if self.paths.is_empty() && self.data.is_empty() {
            let problems = vec!["Give `paths` or `data` to drop".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let files = opened(&self.paths, &call.roots().await)?;
        call.confirm_upload(page, &self.paths).await?;
        let what = match (files.len(), self.data.len()) {
            (files, 0) => format!("{files} file(s)"),
            (0, texts) => format!("{texts} text(s)"),
            (files, texts) => format!("{files} file(s) and {texts} text(s)"),
        };
        let options = call.action_options();
        let drop = element.drop_files_on_element(files, self.data.into_iter().collect(), &options);
        call.act_and_settle(page, ActionTarget::Pressed(&element), Box::pin(drop)).await?;
        reply.say(format!("Dropped {what} on {description}"));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

/// Opens files for upload. One error reports all files that cannot be opened.
pub(super) fn opened(paths: &[String], roots: &Roots) -> Result<Vec<OpenedFile>> {
    let (good, bad): (Vec<_>, Vec<_>) =
        paths.iter().map(|path| roots.open_upload(path)).partition(Result::is_ok);
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

/// Returns the page's first file input, which may be hidden or in a frame; `None` if there is none.
async fn file_input(page: &Page) -> Result<Option<ElementHandle>> {
    for frame in page.frames() {
        let Ok(world) = frame.utility_world().await else { continue };
        if let Some(handle) = world.call_handle("fileInputs", Vec::new()).await? {
            return Ok(Some(ElementHandle::new(world, handle)));
        }
    }
    Ok(None)
}
