//! The text of a PDF in a frame. Scripts cannot access the browser's PDF viewer, so the file is parsed.
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::{ScriptWorld, value_argument};
use crate::pdf::{self, Document};

/// A parsed PDF file, or the reason why it cannot be read.
pub(super) type ParsedPdf = Arc<Result<Document, String>>;

/// The time limit for loading the file again.
const LOAD_LIMIT: Duration = Duration::from_secs(20);
/// The maximum number of parsed files in the cache.
const MOST_KEPT: usize = 4;

/// A script that returns the bytes of a document, such as a blob, that only the page itself can fetch.
const OWN_BYTES: &str = "async (most) => {
  const blob = await (await fetch(location.href)).blob();
  if (blob.size > most) return null;
  const reader = new FileReader();
  await new Promise((done) => { reader.onloadend = done; reader.readAsDataURL(blob); });
  return reader.result;
}";

/// Parses the PDF of a frame, once per document. Parsing continues even if the caller is cancelled.
pub(super) async fn pdf_of(frame: &Frame) -> ParsedPdf {
    type Reading = Shared<BoxFuture<'static, ParsedPdf>>;
    static KEPT: Mutex<Vec<(Arc<str>, Reading)>> = Mutex::new(Vec::new());
    let loader = frame.loader_id();
    let reading = {
        let mut kept = KEPT.lock();
        match kept.iter().find(|(known, _)| *known == loader) {
            Some((_, reading)) => reading.clone(),
            None => {
                let task = tokio::spawn(read(frame.clone()));
                let failed = || Arc::new(Err("reading it failed".to_owned()));
                let reading = async move { task.await.unwrap_or_else(|_| failed()) }.boxed().shared();
                if kept.len() == MOST_KEPT {
                    drop(kept.remove(0));
                }
                kept.push((loader, reading.clone()));
                reading
            }
        }
    };
    reading.await
}

/// Returns the text that replaces a PDF that cannot be read.
pub(super) fn unreadable_pdf(reason: &str) -> String {
    format!("This PDF cannot be read as text: {reason}. Take a screenshot instead.")
}

async fn read(frame: Frame) -> ParsedPdf {
    let loaded = timeout(LOAD_LIMIT, bytes(&frame)).await;
    let document = match loaded {
        Ok(Some(bytes)) => tokio::task::spawn_blocking(|| pdf::read(bytes))
            .await
            .map_or_else(|error| Err(error.to_string()), |read| read.map_err(|reason| reason.to_string())),
        _ => Err("its bytes could not be loaded again".to_owned()),
    };
    Arc::new(document)
}

async fn bytes(frame: &Frame) -> Option<Vec<u8>> {
    let url = frame.url();
    if url.starts_with("http")
        && let Some(bytes) = frame.load_resource(&url, pdf::MAX_PDF_BYTES).await
    {
        return Some(bytes);
    }
    let asked =
        frame.evaluate(OWN_BYTES, vec![value_argument(&pdf::MAX_PDF_BYTES)], ScriptWorld::Isolated).await;
    let text = asked.ok()?;
    let (_, data) = text.as_str()?.split_once(";base64,")?;
    BASE64_STANDARD.decode(data).ok()
}
