//! From a ref that a model wrote to the element it stands for.
use crate::Result;
use crate::browser::{ElementHandle, Frame, Page};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::page_text::one_line;
use crate::session::ContextEntry;
use crate::snapshot::Ref;

/// Reads a ref.
pub fn read(text: &str) -> Result<Ref> {
    text.parse().map_err(|error: crate::snapshot::NotARef| {
        // What was written instead may be a selector, which errors do not repeat.
        Error::UnknownRef { target: "this".to_owned(), reason: error.to_string() }
    })
}

/// The frame of `page` that `reference` names.
///
/// # Errors
/// `unknown_ref` when it belongs to another context, tab or page; `frame_detached` when its frame is gone.
pub fn frame(call: &Call<'_>, page: &Page, reference: &Ref) -> Result<Frame> {
    let unknown = |reason: String| Error::UnknownRef { target: reference.to_string(), reason };
    if reference.context.is_some() || reference.context_name.is_some() {
        let entry = call.workspace.context_entry(reference.context, reference.context_name.as_deref());
        match entry {
            Some(ContextEntry { is_active: true, .. }) => {}
            Some(other) => return Err(unknown(format!("it belongs to the context {:?}", other.name))),
            None => return Err(unknown("its context does not exist".to_owned())),
        }
    }
    if let Some(number) = reference.page
        && number != page.index()
    {
        let other = call.workspace.tabs().into_iter().find(|tab| tab.page.index() == number);
        return Err(unknown(match other {
            Some(tab) => format!("it belongs to tab {}, which is not the current one", tab.index),
            None => "its tab is not open".to_owned(),
        }));
    }
    let Some(number) = reference.frame else { return only_frame(page, reference) };
    match page.frame_by_number(number) {
        Some(frame) if frame.knows_ref(reference.element) => Ok(frame),
        None if number < page.frames_ever() => Err(Error::FrameDetached),
        _ => Err(unknown("no snapshot has shown it".to_owned())),
    }
}

/// The one frame that has an element with this number.
fn only_frame(page: &Page, reference: &Ref) -> Result<Frame> {
    let unknown =
        |reason: &str| Error::UnknownRef { target: reference.to_string(), reason: reason.to_owned() };
    let mut frames = page.frames().into_iter().filter(|frame| frame.knows_ref(reference.element));
    match (frames.next(), frames.next()) {
        (Some(frame), None) => Ok(frame),
        (None, _) => Err(unknown("no snapshot has shown it")),
        (Some(_), Some(_)) => Err(unknown("several frames have one; write the whole ref, such as c0p0f0e12")),
    }
}

/// The element that `text` stands for.
pub async fn element(call: &Call<'_>, page: &Page, text: &str) -> Result<ElementHandle> {
    let reference = read(text)?;
    let frame = frame(call, page, &reference)?;
    let found = ElementHandle::by_ref(&frame, reference.element).await?;
    let target = reference.to_string();
    found.map(|element| element.named(&target)).ok_or(Error::StaleRef { target })
}

/// The element that `text` stands for, and how to call it: as the model did, or by its role and name.
pub async fn described(
    call: &Call<'_>,
    page: &Page,
    text: &str,
    words: Option<String>,
) -> Result<(ElementHandle, String)> {
    let element = element(call, page, text).await?;
    let words = words.map(|words| one_line(&words)).filter(|words| !words.is_empty());
    let told =
        words.unwrap_or_else(|| role_and_name(call, page, text).unwrap_or_else(|| text.trim().to_owned()));
    Ok((element, told))
}

/// `button "Save"`, from what was last shown of the page.
fn role_and_name(call: &Call<'_>, page: &Page, text: &str) -> Option<String> {
    let tree = call.told.lock().tree(page)?;
    let node = &tree.nodes()[tree.position(&text.parse().ok()?)?];
    let name = one_line(&node.name);
    Some(if name.is_empty() { format!("the {}", node.role) } else { format!("{} {name:?}", node.role) })
}
