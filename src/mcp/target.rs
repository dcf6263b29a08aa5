//! From a ref or a selector that a model wrote to the element it stands for.
use std::time::Duration;

use crate::Result;
use crate::browser::input::Point;
use crate::browser::{CaptureOptions, ElementHandle, Frame, Match, Page};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::describe::capture;
use crate::mcp::page_text::one_line;
use crate::session::ContextEntry;
use crate::snapshot::{Node, Ref};

/// How long what a selector finds is waited for.
const SEEK_LIMIT: Duration = Duration::from_secs(2);
/// So much is told of the words in what has no name.
const MOST_WORDS: usize = 60;

/// An element that a model named, and its ref.
#[derive(Debug)]
pub struct Target {
    pub element: ElementHandle,
    pub reference: Ref,
    /// Its role and name, where a selector found it.
    words: Option<String>,
}

/// The frame of `page` that `reference` names.
///
/// # Errors
/// `unknown_ref` when it belongs to another context, tab or page; `frame_detached` when its frame is gone.
fn frame(call: &Call<'_>, page: &Page, reference: &Ref) -> Result<Frame> {
    let unknown = |reason: String| Error::UnknownRef { target: reference.to_string(), reason };
    if reference.context.is_some() || reference.context_name.is_some() {
        let entry = call.workspace.context_entry(reference.context, reference.context_name.as_deref());
        match entry {
            Some(ContextEntry { number, .. }) if number == call.context_number() => {}
            Some(other) => return Err(unknown(format!("it belongs to the context {:?}", other.name))),
            None => return Err(unknown("its context does not exist".to_owned())),
        }
    }
    if let Some(number) = reference.page
        && number != page.index()
    {
        let other = call.tabs().into_iter().find(|tab| tab.page.index() == number);
        return Err(unknown(match other {
            Some(tab) if call.tab().is_some() => format!("it belongs to tab {}", tab.id),
            Some(tab) => format!(
                "it belongs to tab {}, which is not the current one; with tab {} it can be used all the same",
                tab.index, tab.id
            ),
            None => "its tab is not open".to_owned(),
        }));
    }
    page.frame_of_ref(reference)
}

/// The element that `text` stands for: a ref, or else a selector.
pub async fn find(call: &Call<'_>, page: &Page, text: &str) -> Result<Target> {
    let target = seek(call, page, text).await?;
    if call.writes_script()
        && let Ok(found) = target.element.ways().await
    {
        call.found.lock().insert(text.to_owned(), found);
    }
    Ok(target)
}

async fn seek(call: &Call<'_>, page: &Page, text: &str) -> Result<Target> {
    let Ok(reference) = text.parse::<Ref>() else { return select(call, page, text).await };
    let frame = frame(call, page, &reference)?;
    let found = ElementHandle::by_ref(&frame, reference.element).await?;
    let target = reference.to_string();
    let Some(element) = found.map(|element| element.named(&target)) else {
        let again = again(call, page, &reference).await;
        return Err(Error::StaleRef { target, again });
    };
    Ok(Target { element, reference: Ref { frame: Some(frame.number()), ..reference }, words: None })
}

/// What stands for an element that was drawn anew: the only one of its role and name, before and now.
async fn again(call: &Call<'_>, page: &Page, reference: &Ref) -> Option<String> {
    let before = call.told.lock().tree_with(page, reference)?;
    let gone = before.nodes().get(before.position(reference)?).filter(|node| !node.name.is_empty())?;
    let like = |node: &&Node| node.number > 0 && node.role == gone.role && node.name == gone.name;
    let now = capture(call, page, CaptureOptions::default()).await.ok()?;
    let mut found = now.nodes().iter().filter(like);
    let found =
        found.next().filter(|_| found.next().is_none() && before.nodes().iter().filter(like).count() == 1);
    found.map(|node| format!("{} [ref={}]", words(node.role, &node.name), now.ref_of(node)))
}

/// The one element that a selector finds in the page and the frames in it.
async fn select(call: &Call<'_>, page: &Page, selector: &str) -> Result<Target> {
    let reference = |found: &Match| whole_ref(call, page, &found.frame, found.number);
    let limit = call.action_options().limit.min(SEEK_LIMIT);
    let found = page.matches(selector, limit).await.map_err(|error| match error {
        // What was written may be a selector, which errors do not repeat.
        Error::ElementNotFound { .. } => Error::NoTarget { reason: "finds nothing".to_owned() },
        Error::InvalidSelector { reason, .. } => {
            Error::NoTarget { reason: format!("cannot be read: {reason}") }
        }
        other => other,
    })?;
    match one_of(found) {
        Ok(found) => {
            let (reference, words) = (reference(&found), words(&found.role, &found.name));
            let target = reference.to_string();
            let element = ElementHandle::by_ref(&found.frame, found.number).await?;
            let element = element
                .map(|element| element.named(&target))
                .ok_or(Error::StaleRef { target, again: None })?;
            Ok(Target { element, reference, words: Some(words) })
        }
        Err((count, several)) => {
            let line = |found: &Match| format!("{} {}", reference(found), words(&found.role, &found.name));
            Err(Error::SeveralMatch { count, matches: several.iter().map(line).collect() })
        }
    }
}

/// A ref that says everything.
pub fn whole_ref(call: &Call<'_>, page: &Page, frame: &Frame, number: u32) -> Ref {
    Ref::new(call.context_number(), page.index(), frame.number(), number)
}

/// The only one, or how many there are and the first of them.
fn one_of((count, mut found): (usize, Vec<Match>)) -> Result<Match, (usize, Vec<Match>)> {
    match found.pop() {
        Some(only) if count == 1 => Ok(only),
        last => Err((count, found.into_iter().chain(last).collect())),
    }
}

/// The element that `text` stands for.
pub async fn element(call: &Call<'_>, page: &Page, text: &str) -> Result<ElementHandle> {
    find(call, page, text).await.map(|target| target.element)
}

/// The element that `text` stands for, and how to call it: as the model did, or by its role and name.
pub async fn described(
    call: &Call<'_>,
    page: &Page,
    text: &str,
    element: Option<String>,
) -> Result<(ElementHandle, String)> {
    let target = find(call, page, text).await?;
    let told = element.map(|words| one_line(&words)).filter(|words| !words.is_empty());
    let told = told.or(target.words).or_else(|| role_and_name(call, page, &target.reference));
    Ok((target.element, told.unwrap_or_else(|| text.trim().to_owned())))
}

/// `button "Save"`, from what was last shown of the page.
fn role_and_name(call: &Call<'_>, page: &Page, reference: &Ref) -> Option<String> {
    let tree = call.told.lock().tree(page)?;
    let place = tree.position(reference)?;
    let node = &tree.nodes()[place];
    let says_what_it_holds = matches!(node.role, "generic" | "listitem" | "row" | "cell" | "gridcell");
    match node.name.is_empty() && says_what_it_holds {
        true => Some(words(node.role, &tree.beginning_of(place, MOST_WORDS))),
        false => Some(words(node.role, &node.name)),
    }
}

fn words(role: &str, name: &str) -> String {
    let name = one_line(name);
    match (role, name.is_empty()) {
        ("generic", true) => "the element".to_owned(),
        ("generic", false) => format!("{name:?}"),
        (_, true) => format!("the {role}"),
        (_, false) => format!("{role} {name:?}"),
    }
}

/// A place in an element, as a model writes it: `10,20` in pixels from its upper left corner, or `90%,50%`.
pub async fn position(argument: &str, text: Option<&str>, element: &ElementHandle) -> Result<Option<Point>> {
    if text.is_none_or(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    let size = element.bounding_box().await?.unwrap_or_default();
    place(argument, text, size.width, size.height)
}

/// Like [`position`], in something of this size.
pub fn place(argument: &str, text: Option<&str>, width: f64, height: f64) -> Result<Option<Point>> {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return Ok(None) };
    let parts: Vec<_> = text.trim_matches(['(', ')', '[', ']', ' ']).split(',').map(measure).collect();
    let [Some(x), Some(y)] = parts[..] else {
        let problem = format!("`{argument}` must be two numbers, such as 10,20 (px) or 90%,50%");
        return Err(Error::InvalidArguments { problems: vec![problem] });
    };
    Ok(Some(Point::new(x.of(width), y.of(height))))
}

#[derive(Debug, Clone, Copy)]
enum Measure {
    Pixels(f64),
    Percent(f64),
}

impl Measure {
    fn of(self, whole: f64) -> f64 {
        match self {
            Self::Pixels(pixels) => pixels,
            // The far edge itself belongs to what lies beyond.
            Self::Percent(percent) => (whole * percent / 100.0).min(whole - 1.0).max(0.0),
        }
    }
}

fn measure(text: &str) -> Option<Measure> {
    let text = text.trim();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match text.strip_suffix('%') {
        Some(percent) => number(percent).map(Measure::Percent),
        None => number(text.strip_suffix("px").unwrap_or(text)).map(Measure::Pixels),
    }
}
