//! Writes answers to files. The reply then contains only the file's name and size.
use serde_json::{Map, Value};
use url::Url;

use super::Call;
use crate::Result;
use crate::mcp::files;
use crate::mcp::reply::{FileLink, Reply};
use crate::mcp::tool::{AnyTool, FILENAME_ARGUMENT};
use crate::secrets::Secrets;
use crate::session::{ContentKind, WriteTarget};
use crate::snapshot;

/// The file to which an answer will be written.
pub(in crate::mcp) struct ToFile {
    place: WriteTarget,
    name: String,
    mime_type: &'static str,
}

impl ToFile {
    /// Removes the file name from the arguments, and checks it before the call starts. `None` without one.
    pub(in crate::mcp) async fn take(
        call: &Call<'_>,
        tool: &AnyTool,
        arguments: &mut Map<String, Value>,
    ) -> Result<Option<Self>> {
        call.report.file.lock().clear();
        let Some(ending) = tool.file else { return Ok(None) };
        let Some(Value::String(name)) = arguments.remove(FILENAME_ARGUMENT) else { return Ok(None) };
        let mut file = call.destination(Some(&name), &call.settings.files.output_dir).await?;
        if !file.name().contains('.') {
            file.append_extension(&format!(".{ending}"));
        }
        let name = file.name().to_owned();
        name.clone_into(&mut call.report.file.lock());
        Ok(Some(Self { place: file.resolve().await?, name, mime_type: mime_type(ending) }))
    }

    /// Writes the answer to the file. The reply then contains only the file's name and size.
    pub(in crate::mcp) async fn write(self, reply: &mut Reply, secrets: &Secrets) -> Result<()> {
        let Self { place, name, mut mime_type } = self;
        let (content, measure) = match reply.take_file_content() {
            Some(content) => {
                if std::str::from_utf8(&content).is_err() {
                    mime_type = "application/octet-stream";
                }
                let measure = format!("{} bytes", content.len());
                (content, measure)
            }
            None => {
                let text = reply.take_text();
                let measure = format!("{} characters, {} lines", text.chars().count(), text.lines().count());
                (text.into_bytes(), measure)
            }
        };
        let size = content.len() as u64;
        let file = files::write(place, content, ContentKind::Text, secrets).await?;
        reply.say(format!("Written to {} ({measure})", file.shown));
        if let Ok(uri) = Url::from_file_path(&file.path) {
            reply.add_file(FileLink { uri: uri.into(), name, mime_type, size: Some(size) });
        }
        Ok(())
    }
}

fn mime_type(ending: &str) -> &'static str {
    match ending {
        "json" | "har" => "application/json",
        "md" => "text/markdown",
        _ => "text/plain",
    }
}

impl Call<'_> {
    /// Whether the answer is written to a file, and so has no size limit.
    pub fn has_output_file(&self) -> bool {
        !self.report.file.lock().is_empty()
    }

    /// Whether the answer is written to a file whose name ends with `ending`, such as `.csv`.
    pub fn file_ends_with(&self, ending: &str) -> bool {
        self.report.file.lock().to_ascii_lowercase().ends_with(ending)
    }

    /// Returns the size limits of a snapshot: practically unlimited if the answer is written to a file.
    pub fn snapshot_options(&self) -> snapshot::Options {
        let usual = self.settings.snapshot.clone();
        if !self.has_output_file() {
            return usual;
        }
        let all = usize::MAX / 4;
        snapshot::Options { usual_chars: all, max_chars: all, change_chars: all, brief: false, ..usual }
    }
}
