//! Finds the elements to which models refer by refs or selectors.
use std::time::Duration;

use crate::Result;
use crate::browser::input::Point;
use crate::browser::{ElementHandle, ElementLocators, Frame, Match, MatchResult, Page, SnapshotTreeOptions};
use crate::error::{Error, Obstacle, in_quotes};
use crate::mcp::call::Call;
use crate::mcp::describe::capture;
use crate::mcp::page_text::one_line;
use crate::session::ContextEntry;
use crate::snapshot::text::is_private_use;
use crate::snapshot::{self, Ref, quoted};

/// The time limit for finding a match of a selector.
const SEEK_LIMIT: Duration = Duration::from_secs(2);
/// The length at which the description of an element without a name is cut, in characters.
const MOST_WORDS: usize = 60;

/// An element to which a model referred, and its ref.
#[derive(Debug)]
pub struct Target {
    pub element: ElementHandle,
    pub reference: Ref,
    /// The element's role and name if it was found by a selector; `None` if by a ref.
    words: Option<String>,
}

impl Target {
    /// Returns the element's role and name, such as `button "Save"`, if known.
    pub fn description(&self, call: &Call<'_>, page: &Page) -> Option<String> {
        self.words.clone().or_else(|| role_and_name(call, page, &self.reference))
    }
}

/// Returns the frame of the element with this ref.
///
/// # Errors `unknown_ref` if it belongs to another context, tab or page; `frame_detached` if its frame is gone.
fn frame(call: &Call<'_>, page: &Page, reference: &Ref) -> Result<Frame> {
    let unknown = |reason: String| Error::UnknownRef { target: reference.to_string(), reason };
    if reference.context.is_some() || reference.context_name.is_some() {
        let entry = call.workspace.find_context(reference.context, reference.context_name.as_deref());
        match entry {
            Some(ContextEntry { number, .. }) if number == call.context_index() => {}
            Some(other) => {
                return Err(unknown(format!("it belongs to the context {}", in_quotes(&other.name))));
            }
            None => return Err(unknown("its context does not exist".to_owned())),
        }
    }
    if let Some(other) = elsewhere(call, page, reference) {
        return Err(unknown(format!("it belongs to the context {}", in_quotes(&other))));
    }
    let tabs = call.tabs();
    let mut others = tabs.iter().filter(|tab| tab.page.number() != page.number());
    let (is_foreign, other) = match reference.page {
        Some(number) => (number != page.number(), others.find(|tab| tab.page.number() == number)),
        None => {
            let knows = |page: &Page| page.main_frame().had_ref(reference.element);
            let other = others.find(|tab| knows(&tab.page) && reference.frame.is_none() && !knows(page));
            (other.is_some(), other)
        }
    };
    if is_foreign {
        return Err(unknown(match other {
            Some(tab) if call.named_tab().is_some() => format!("it belongs to tab {}", tab.id),
            Some(tab) => format!(
                "it belongs to tab {}, which is not the current one; with tab {} it can be used all the same",
                tab.index, tab.id
            ),
            None => "its tab is not open".to_owned(),
        }));
    }
    page.frame_of_ref(reference)
}

/// Returns the name of another context that has this short ref, if no element of this page ever had it.
fn elsewhere(call: &Call<'_>, page: &Page, reference: &Ref) -> Option<String> {
    let is_short =
        reference.context.is_none() && reference.context_name.is_none() && reference.frame.is_none();
    let knows = |page: &Page| page.main_frame().had_ref(reference.element);
    if !is_short || reference.page.is_some() || knows(page) {
        return None;
    }
    let others = call.workspace.contexts().into_iter().filter(|entry| entry.number != call.context_index());
    others.into_iter().find(|entry| entry.tabs.iter().any(|tab| knows(&tab.page))).map(|entry| entry.name)
}

/// Returns the element with this ref, or the only match of this selector.
pub async fn find(call: &Call<'_>, page: &Page, text: &str) -> Result<Target> {
    let limit = call.action_options().limit.min(SEEK_LIMIT);
    let target = seek(call, page, text, limit).await.map_err(|error| match error {
        // The text may be a selector, which these errors must not repeat.
        Error::ElementNotFound { .. } => Error::NoTarget { which: "", reason: "matches nothing".to_owned() },
        Error::InvalidSelector { reason, .. } => {
            Error::NoTarget { which: "", reason: format!("is invalid: {reason}") }
        }
        other => other,
    })?;
    note(call, text, &target.element).await;
    Ok(target)
}

/// Records locators for the element that the call names `text`, for the exported script.
async fn note(call: &Call<'_>, text: &str, element: &ElementHandle) {
    if call.records_script()
        && let Ok(found) = element.generate_locators().await
    {
        call.report.found.lock().insert(text.to_owned(), found.into());
    }
}

async fn seek(call: &Call<'_>, page: &Page, text: &str, limit: Duration) -> Result<Target> {
    let line = snapshot::target_in_line(text);
    let text = line.as_deref().unwrap_or(text);
    let Ok(reference) = text.parse::<Ref>() else { return select(call, page, text, limit).await };
    let frame = frame(call, page, &reference)?;
    let found = ElementHandle::by_ref(&frame, reference.element).await?;
    let target = reference.to_string();
    let Some(element) = found.map(|element| element.named(&target)) else {
        let anew = find_rerendered(call, page, &reference).await;
        let again = anew.map(|(found, shown)| format!("{shown} [ref={found}]"));
        return Err(Error::StaleRef { target, again });
    };
    Ok(Target { element, reference: element_ref(call, page, &frame, reference.element), words: None })
}

/// Returns the element that replaces one which the page has rendered again: the current match of a selector,
/// or the likely replacement of a ref's element.
pub async fn replacement_for_stale_ref(call: &Call<'_>, page: &Page, text: &str) -> Option<ElementHandle> {
    let found = match text.parse::<Ref>() {
        Ok(reference) => find_rerendered(call, page, &reference).await?.0.to_string(),
        Err(_) => text.to_owned(),
    };
    find(call, page, &found).await.ok().map(|target| target.element)
}

/// Returns the ref of the element that replaces one which the page has rendered again, and its role and name.
async fn find_rerendered(call: &Call<'_>, page: &Page, reference: &Ref) -> Option<(Ref, String)> {
    let before = call.kept.seen.lock().tree_with(page, reference)?;
    let now = capture(call, page, SnapshotTreeOptions::default()).await.ok()?;
    let node = &now.nodes()[snapshot::find_replacement(&before, &now, reference)?];
    Some((now.ref_of(node), words(node.role, &node.name)))
}

/// Whether a ref or selector matches no element now.
pub async fn is_absent(call: &Call<'_>, page: &Page, text: &str) -> Result<bool> {
    if let Ok(reference) = text.parse::<Ref>() {
        let frame = frame(call, page, &reference)?;
        return Ok(ElementHandle::by_ref(&frame, reference.element).await?.is_none());
    }
    let is_absent =
        matches!(page.find_matches(text, Duration::ZERO).await, Err(Error::ElementNotFound { .. }));
    if is_absent && call.records_script() {
        call.report.found.lock().insert(text.to_owned(), ElementLocators::from_selector(text).into());
    }
    Ok(is_absent)
}

/// Returns the only match of a selector in the page and its frames. Fails if there are several.
async fn select(call: &Call<'_>, page: &Page, selector: &str, limit: Duration) -> Result<Target> {
    let reference = |found: &Match| element_ref(call, page, &found.frame, found.number);
    match page.find_matches(selector, limit).await? {
        MatchResult::One(found) => {
            let (reference, words) = (reference(&found), words(&found.role, &found.name));
            Ok(Target {
                element: found.element(&reference.to_string()).await?,
                reference,
                words: Some(words),
            })
        }
        MatchResult::Several(count, several) => {
            let line = |found: &Match| format!("{} {}", reference(found), words(&found.role, &found.name));
            Err(Error::SeveralMatch { count, matches: several.iter().map(line).collect() })
        }
    }
}

/// Returns the ref of an element in the short form that answers use.
pub fn element_ref(call: &Call<'_>, page: &Page, frame: &Frame, number: u32) -> Ref {
    let main = page.main_frame().number();
    Ref::shortest(call.context_index(), (frame.number() != main).then_some(frame.number()), number)
}

/// Returns the element with this ref, or the only match of this selector.
pub async fn find_element(call: &Call<'_>, page: &Page, text: &str) -> Result<ElementHandle> {
    find(call, page, text).await.map(|target| target.element)
}

/// Like [`find`], but for a hidden native control returns the visible custom control that represents it.
pub async fn find_operable_control(call: &Call<'_>, page: &Page, text: &str) -> Result<Target> {
    let target = find(call, page, text).await?;
    drawn(call, page, text, target).await
}

/// Like [`find_operable_control`], with a time limit, and with errors that mention the selector.
///
/// # Errors `element_not_found`, `invalid_selector`, `several_match`.
pub async fn find_operable_control_within(
    call: &Call<'_>,
    page: &Page,
    text: &str,
    limit: Duration,
) -> Result<Target> {
    let target = seek(call, page, text, limit).await?;
    drawn(call, page, text, target).await
}

async fn drawn(call: &Call<'_>, page: &Page, text: &str, target: Target) -> Result<Target> {
    // An element with a ref in the last snapshot is itself visible.
    let is_shown = target.words.is_none() && role_and_name(call, page, &target.reference).is_some();
    let drawn = if is_shown { None } else { target.element.custom_replacement().await? };
    let Some(drawn) = drawn else { return Ok(target) };
    let reference = element_ref(call, page, &drawn.frame, drawn.number);
    let element = drawn.element(&reference.to_string()).await?;
    note(call, text, &element).await;
    Ok(Target { element, reference, words: Some(words(&drawn.role, &drawn.name)) })
}

/// Adds to an error about an invisible element which visible control the page shows for it, if any.
pub async fn suggest_visible_control(
    call: &Call<'_>,
    page: &Page,
    element: &ElementHandle,
    error: Error,
) -> Error {
    let Error::NotActionable { obstacle: obstacle @ (Obstacle::Hidden | Obstacle::OutsideViewport), .. } =
        &error
    else {
        return error;
    };
    match element.visible_replacement().await {
        Ok(Some(shown)) => {
            let reference = element_ref(call, page, &shown.frame, shown.number);
            let shown = format!("{} [ref={reference}]", words(&shown.role, &shown.name));
            Error::KeptBack { obstacle: obstacle.clone(), shown }
        }
        _ => error,
    }
}

/// Returns an element for an action, and its description: the model's own (`element`), or its role and name.
pub async fn find_and_describe(
    call: &Call<'_>,
    page: &Page,
    text: &str,
    element: Option<String>,
) -> Result<(ElementHandle, String)> {
    let target = find_operable_control(call, page, text).await?;
    let description = element.map(|words| one_line(&words)).filter(|words| !words.is_empty());
    let known = description.or(target.words).or_else(|| role_and_name(call, page, &target.reference));
    let description = match known {
        Some(description) => description,
        None => match target.element.summary().await {
            Ok(summary) if !summary.name.is_empty() => words(&summary.role, &summary.name),
            _ => text.trim().to_owned(),
        },
    };
    Ok((target.element, description))
}

/// Describes an element of the last snapshot, such as `button "Save"`. Adds hint and ref if it has no name.
fn role_and_name(call: &Call<'_>, page: &Page, reference: &Ref) -> Option<String> {
    let tree = call.kept.seen.lock().tree(page)?;
    let place = tree.index_of_ref(reference)?;
    let node = &tree.nodes()[place];
    let says_what_it_holds = matches!(node.role, "generic" | "listitem" | "row" | "cell" | "gridcell");
    let name = match node.name.is_empty() && says_what_it_holds {
        true => tree.text_preview(place, MOST_WORDS),
        false => node.name.to_string(),
    };
    // Icon fonts use private-use characters, which mean nothing to a reader.
    let is_wordless = name.chars().all(|letter| letter.is_whitespace() || is_private_use(letter));
    let description = words(node.role, if is_wordless { "" } else { &name });
    Some(match (node.fallback_label(), is_wordless) {
        (Some(hint), true) => format!("{description} [hint={}] [ref={}]", quoted(hint), tree.ref_of(node)),
        (None, true) if node.role == "generic" => format!("{description} [ref={}]", tree.ref_of(node)),
        _ => description,
    })
}

pub(in crate::mcp) fn words(role: &str, name: &str) -> String {
    let name = one_line(&name.replace(is_private_use, " "));
    match (role, name.is_empty()) {
        ("generic" | "none", true) => "the element".to_owned(),
        ("generic" | "none", false) => in_quotes(&name),
        (_, true) => format!("the {role}"),
        (_, false) => format!("{role} {}", in_quotes(&name)),
    }
}

/// Parses a position in an element: `10,20` in pixels from the top left corner of its padding box, or
/// `90%,50%` of that box. `None` if no position is given.
///
/// # Errors `invalid_arguments` if the position is invalid or outside the element.
pub async fn parse_position(
    argument: &str,
    text: Option<&str>,
    element: &ElementHandle,
) -> Result<Option<Point>> {
    if text.is_none_or(|text| text.trim().is_empty()) {
        return Ok(None);
    }
    let inner = element.padding_box().await?;
    let size = inner.unwrap_or_default();
    let place = parse_point_in_area(argument, text, size.width, size.height)?;
    let is_inside = |at: &Point| (0.0..size.width).contains(&at.x) && (0.0..size.height).contains(&at.y);
    // An element without a box is invisible, which the action itself reports.
    if inner.is_some() && !place.as_ref().is_none_or(is_inside) {
        let problem = format!(
            "`{argument}` {} lies outside of the element, which is {}x{} px inside its border",
            text.unwrap_or_default().trim(),
            size.width.round(),
            size.height.round()
        );
        return Err(Error::InvalidArguments { problems: vec![problem] });
    }
    Ok(place)
}

/// Parses a point such as `10,20` (pixels) or `90%,50%` (of an area of this size).
pub fn parse_point_in_area(
    argument: &str,
    text: Option<&str>,
    width: f64,
    height: f64,
) -> Result<Option<Point>> {
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
            // The point at 100 % is just outside, so it is moved inside by a pixel.
            Self::Percent(percent) if (0.0..=100.0).contains(&percent) => {
                (whole * percent / 100.0).min(whole - 1.0).max(0.0)
            }
            Self::Percent(percent) => whole * percent / 100.0,
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
