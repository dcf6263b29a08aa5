//! Saves a page as PDF or MHTML.
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;

use crate::browser::objects::page::Page;
use crate::cdp::types::page::{CaptureMhtml, PrintToPdf};
use crate::error::{Error, Result};

/// Options for printing to PDF. Sizes are in inches. `None` uses the browser's default.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PdfOptions {
    pub width: Option<f64>,
    pub height: Option<f64>,
    pub landscape: bool,
    pub print_background: bool,
    /// The scale of the content, from 0.1 to 2.
    pub scale: Option<f64>,
    /// The pages to print, such as `1-3, 5`. Default: all.
    pub page_ranges: Option<String>,
    /// The top, right, bottom and left margins in inches.
    pub margin: Option<[f64; 4]>,
    /// Whether a page size in the page's CSS overrides `width` and `height`.
    pub prefer_css_page_size: bool,
    pub display_header_footer: bool,
    pub header_template: Option<String>,
    pub footer_template: Option<String>,
    /// Whether the PDF is tagged for assistive technology.
    pub tagged: bool,
    /// Whether the PDF has an outline (bookmarks) with the headings.
    pub outline: bool,
}

const LIMIT: Duration = Duration::from_secs(60);

impl Page {
    /// Returns the page and its resources as an MHTML archive.
    pub async fn mhtml(&self) -> Result<String> {
        self.ensure_no_hidden_text("an archive of the page").await?;
        let capture = CaptureMhtml { format: Some("mhtml".to_owned()) };
        Ok(self.fail_on_dialog(self.session().send(capture).within(LIMIT)).await?.data)
    }

    /// Prints the page and returns the bytes of the PDF.
    pub async fn pdf(&self, options: &PdfOptions) -> Result<Vec<u8>> {
        self.ensure_no_hidden_text("a PDF").await?;
        let [top, right, bottom, left] = match options.margin {
            Some(margin) => margin.map(Some),
            None => [None; 4],
        };
        let print = PrintToPdf {
            landscape: Some(options.landscape),
            print_background: Some(options.print_background),
            scale: options.scale,
            paper_width: options.width,
            paper_height: options.height,
            margin_top: top,
            margin_right: right,
            margin_bottom: bottom,
            margin_left: left,
            page_ranges: options.page_ranges.clone(),
            prefer_css_page_size: Some(options.prefer_css_page_size),
            display_header_footer: options.display_header_footer.then_some(true),
            header_template: options.header_template.clone(),
            footer_template: options.footer_template.clone(),
            generate_tagged_pdf: Some(options.tagged),
            generate_document_outline: options.outline.then_some(true),
            ..PrintToPdf::default()
        };
        let printed = self.fail_on_dialog(self.session().send(print).within(LIMIT)).await;
        let printed = printed.map_err(|error| match error {
            Error::Protocol { message, .. } if message.contains("scale") => {
                Error::InvalidArguments { problems: vec![format!("`scale`: {message}")] }
            }
            Error::Protocol { message, .. } if message.contains("range") => {
                Error::InvalidArguments { problems: vec![format!("`pageRanges`: {message}")] }
            }
            Error::Protocol { message, .. } => {
                Error::Unsupported { what: "printing to PDF", reason: message }
            }
            error => error,
        })?;
        BASE64
            .decode(printed.data.as_bytes())
            .map_err(|error| Error::Unreadable { method: "Page.printToPDF", reason: error.to_string() })
    }
}
