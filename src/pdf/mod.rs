//! Extracts text from PDF files: pages, headings, paragraphs and tables.
//!
//! Files are untrusted. Each is parsed on a separate thread, with limits on size, text and time. A panic of
//! the parser ends only that thread.
mod glyphs;
mod layout;
mod structure;

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use parking_lot::Mutex;

/// The maximum size of a file in bytes.
pub const MAX_PDF_BYTES: usize = 64 << 20;
/// The maximum number of characters read from a file.
const MOST_CHARS: usize = 4_000_000;
/// The maximum number of pages read from a file.
const MOST_PAGES: usize = 5_000;
/// The time limit for reading a file.
const LIMIT: Duration = Duration::from_secs(10);
/// The stack size of the parser thread, in bytes. Files may nest forms deeply.
const STACK: usize = 16 << 20;

/// The text of a PDF file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    pub pages: Vec<Page>,
    /// The number of pages in the file. If a limit was reached, `pages` lacks the last ones.
    pub count: usize,
}

/// The text of one page, in reading order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Page {
    pub blocks: Vec<Block>,
    /// Whether the page contains images.
    pub has_images: bool,
}

/// A heading, paragraph or table of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    Heading { level: u8, text: String },
    Paragraph(String),
    Table(Vec<Vec<String>>),
}

/// Why a PDF file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PdfReadError {
    #[error("it is encrypted, and opens only with a password")]
    Encrypted,
    #[error("the file is broken, or no PDF")]
    Broken,
    #[error("it is larger than 64 MB")]
    TooLarge,
    #[error("reading it took longer than 10 s")]
    TooSlow,
}

/// Reads a PDF file from memory. Blocks the thread.
pub fn read(bytes: Vec<u8>) -> Result<Document, PdfReadError> {
    /// Serializes the parsing of files, since each may need much memory.
    static READING: Mutex<()> = Mutex::new(());
    if bytes.len() > MAX_PDF_BYTES {
        return Err(PdfReadError::TooLarge);
    }
    let (send, receive) = std::sync::mpsc::channel();
    let work = move || {
        let Some(_alone) = READING.try_lock_for(LIMIT) else { return };
        let read = catch_unwind(AssertUnwindSafe(|| pages(bytes, Instant::now() + LIMIT)));
        let _ = send.send(read.unwrap_or(Err(PdfReadError::Broken)));
    };
    let thread = std::thread::Builder::new().name("pdf".to_owned()).stack_size(STACK).spawn(work);
    thread.map_err(|_| PdfReadError::TooSlow)?;
    receive.recv_timeout(LIMIT * 2).unwrap_or(Err(PdfReadError::TooSlow))
}

/// Reads a PDF file from disk.
pub async fn read_file(path: &Path) -> Result<Document, PdfReadError> {
    let known = tokio::fs::metadata(path).await.map_err(|_| PdfReadError::Broken)?;
    if known.len() > MAX_PDF_BYTES as u64 {
        return Err(PdfReadError::TooLarge);
    }
    let bytes = tokio::fs::read(path).await.map_err(|_| PdfReadError::Broken)?;
    tokio::task::spawn_blocking(|| read(bytes)).await.unwrap_or(Err(PdfReadError::Broken))
}

fn pages(bytes: Vec<u8>, deadline: Instant) -> Result<Document, PdfReadError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfReadError::Encrypted,
        _ => PdfReadError::Broken,
    })?;
    let structure = structure::read(&pdf);
    let mut document = Document { count: pdf.pages().len(), ..Document::default() };
    let mut room = MOST_CHARS;
    for (number, page) in pdf.pages().iter().enumerate().take(MOST_PAGES) {
        let Some(seen) = glyphs::read(&pdf, page, room, deadline) else { break };
        room = room.saturating_sub(seen.glyphs.len());
        let blocks = layout::blocks(&seen, &structure, number);
        document.pages.push(Page { blocks, has_images: seen.has_images });
        if room == 0 {
            break;
        }
    }
    if document.pages.is_empty() {
        return Err(if document.count == 0 { PdfReadError::Broken } else { PdfReadError::TooSlow });
    }
    Ok(document)
}

impl Document {
    /// Returns a description of the file: its number of pages, and whether it contains text.
    pub fn summary(&self) -> String {
        let pages = if self.count == 1 { "1 page".to_owned() } else { format!("{} pages", self.count) };
        if self.pages.iter().all(|page| page.blocks.is_empty()) {
            let scan = self.pages.iter().any(|page| page.has_images);
            let why = if scan { "its pages are pictures, such as a scan" } else { "its pages show no words" };
            return format!("PDF, {pages}, without text: {why}. A screenshot shows them.");
        }
        format!("PDF, {pages}")
    }

    /// Returns a note about pages that were not read because of a limit; `None` if all were read.
    pub fn unread_pages_note(&self) -> Option<String> {
        let read = self.pages.len();
        (read < self.count).then(|| format!("Pages {} to {} were too much to be read.", read + 1, self.count))
    }

    /// Returns whether any page contains `text`, ignoring case and line breaks.
    pub fn contains(&self, text: &str) -> bool {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        words(&self.text(false)).contains(&words(text))
    }

    /// Returns the text of all pages, as Markdown or plain text.
    pub fn text(&self, markdown: bool) -> String {
        let mut out = self.summary();
        for (number, page) in self.pages.iter().enumerate() {
            let _ = write!(out, "\n\n--- Page {} of {} ---", number + 1, self.count);
            for block in &page.blocks {
                out.push_str("\n\n");
                block.write(&mut out, markdown);
            }
            if let Some(note) = page.missing_text_note() {
                let _ = write!(out, "\n\n({note})");
            }
        }
        if let Some(unread) = self.unread_pages_note() {
            let _ = write!(out, "\n\n({unread})");
        }
        out
    }
}

impl Page {
    /// Returns a note that the page has no text; `None` if it has.
    pub fn missing_text_note(&self) -> Option<&'static str> {
        match (self.blocks.is_empty(), self.has_images) {
            (false, _) => None,
            (true, true) => Some("this page is a picture without text"),
            (true, false) => Some("this page has no text"),
        }
    }
}

impl Block {
    fn write(&self, out: &mut String, markdown: bool) {
        match self {
            Self::Heading { level, text } if markdown => {
                let _ = write!(out, "{} {text}", "#".repeat(usize::from(*level).clamp(1, 6)));
            }
            Self::Heading { text, .. } | Self::Paragraph(text) => out.push_str(text),
            Self::Table(rows) => {
                let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
                for (number, row) in rows.iter().enumerate() {
                    let cells: Vec<_> = row.iter().map(|cell| cell.replace('|', r"\|")).collect();
                    match markdown {
                        true => {
                            let blank = " |".repeat(columns - row.len());
                            let _ = write!(out, "| {} |{blank}", cells.join(" | "));
                        }
                        false => out.push_str(&row.join("\t")),
                    }
                    if markdown && number == 0 {
                        let _ = write!(out, "\n|{}", " --- |".repeat(columns));
                    }
                    if number + 1 < rows.len() {
                        out.push('\n');
                    }
                }
            }
        }
    }
}
