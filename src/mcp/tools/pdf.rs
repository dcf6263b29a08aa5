//! The tool that saves the page as a PDF (`browser_pdf_save`).
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use crate::Result;
use crate::browser::{Paper, PdfOptions};
use crate::mcp::call::Call;
use crate::mcp::files;
use crate::mcp::reply::{FileLink, Reply};
use crate::mcp::tool::{Capability, Tool, ToolEffect};
use crate::session::ContentKind;

/// Save the page as a PDF.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PdfSave {
    /// Name in the output directory, or path below the working directory. Default: a timestamp.
    #[serde(alias = "filename")]
    pub path: Option<String>,
    #[serde(default)]
    pub format: Paper,
    #[serde(default)]
    pub landscape: bool,
    #[serde(default)]
    pub print_background: bool,
    #[schemars(range(min = 0.1, max = 2.0))]
    pub scale: Option<f64>,
    /// For example 1-3, 5.
    pub page_ranges: Option<String>,
    /// Margin on each side, in inches.
    #[schemars(range(min = 0, max = 5))]
    pub margin: Option<f64>,
}

impl Tool for PdfSave {
    const NAME: &'static str = "browser_pdf_save";
    const TITLE: &'static str = "Save as PDF";
    const EFFECT: ToolEffect = ToolEffect::Adds;
    const CAPABILITY: Capability = Capability::Pdf;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let mut file = call.destination(self.path.as_deref(), &call.settings.files.output_dir).await?;
        if !file.name().to_ascii_lowercase().ends_with(".pdf") {
            file.append_extension(".pdf");
        }
        let place = file.resolve().await?;
        let name = file.name().to_owned();
        let (width, height) = self.format.size();
        let options = PdfOptions {
            width: Some(width),
            height: Some(height),
            landscape: self.landscape,
            print_background: self.print_background,
            scale: self.scale,
            page_ranges: self.page_ranges.clone(),
            margin: self.margin.map(|margin| [margin; 4]),
            prefer_css_page_size: false,
            ..PdfOptions::default()
        };
        call.progress.set_message("printing the page");
        let bytes = page.pdf(&options).await?;
        let size = bytes.len();
        let file = files::write(place, bytes, ContentKind::Pdf, call.services.secrets()).await?;
        reply.say(format!(
            "PDF saved to '{}' ({size} bytes, format: {}, landscape: {})",
            file.shown, self.format, self.landscape
        ));
        if let Ok(uri) = Url::from_file_path(&file.path) {
            let size = Some(size as u64);
            reply.add_file(FileLink { uri: uri.into(), name, mime_type: "application/pdf", size });
        }
        Ok(())
    }
}
