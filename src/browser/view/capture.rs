//! Reads the DOM of a page for a snapshot, frame by frame, including closed shadow roots.
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};
use tokio::try_join;

use super::pdf_text::pdf_of;
use crate::browser::elements::closed_roots::{DEEPEST_ROOTS, adopt_closed_roots};
use crate::browser::elements::internals::adopt_internals;
use crate::browser::elements::lost::ElementSummary;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, UtilityWorld, value_argument};
use crate::cdp::types::dom::{EventListener, GetEventListeners, ResolveNode};
use crate::error::{Error, Result};
use crate::snapshot::{self, ElementReplacement};

/// Options for reading a page.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotTreeOptions {
    /// Whether to measure the box of each element.
    pub boxes: bool,
    /// Whether texts, groups and parts of drawings get refs too.
    pub all_refs: bool,
    /// The frame number and element number of the element to read. Default: the whole page.
    pub root: Option<(u32, u32)>,
    /// The time limit of the main frame. A child frame that exceeds its own limit is replaced by a note.
    pub limit: Duration,
}

impl Default for SnapshotTreeOptions {
    fn default() -> Self {
        Self { boxes: false, all_refs: false, root: None, limit: Duration::from_secs(15) }
    }
}

/// The time limit of a child frame. It is short, so that a slow frame does not delay the rest.
const CHILD_LIMIT: Duration = Duration::from_secs(1);
/// The time limit when a child frame is read first: its process may be new and must compile the engine.
const FIRST_CHILD_LIMIT: Duration = Duration::from_secs(3);
/// The time limit of all child frames together.
const CHILDREN_LIMIT: Duration = Duration::from_secs(4);
/// The maximum number of frames that are read.
const MOST_FRAMES: usize = 200;
/// The time limit for querying event listeners. After it, this snapshot ignores them; the next tries again.
const LISTENING_NODES_LIMIT: Duration = Duration::from_secs(3);
/// The time limit for querying the event listeners of a child frame.
const CHILD_LISTENING_NODES_LIMIT: Duration = Duration::from_millis(400);
/// The maximum number of nodes with listeners that are passed to the engine at once.
const MOST_LISTENING_NODES: usize = 400;
/// A document with more listeners is never queried for listeners again.
const MOST_LISTENERS: usize = 2_000;
/// A walk with more nodes is not repeated when new listeners are found.
const LARGEST_TEXT: usize = 4_000;

impl Page {
    /// Reads the current page. `context` is the context number for the refs in the snapshot.
    ///
    /// # Errors Returns `dialog_open` if a dialog blocks the page, `page_busy` if the main frame is too slow.
    pub async fn snapshot_tree(&self, context: u32, options: SnapshotTreeOptions) -> Result<snapshot::Tree> {
        let top = match options.root {
            Some((number, _)) => self.frame_by_number(number).ok_or(Error::FrameDetached)?,
            None => self.main_frame().clone(),
        };
        let main = tokio::time::timeout(options.limit, self.while_stable(|| Box::pin(read(&top, options))));
        let main = self
            .fail_on_dialog(async { main.await.unwrap_or_else(|_| Err(self.unresponsive_error())) })
            .await?;
        let mut frames = HashMap::from([(top.number(), main)]);
        let mut level = vec![top.clone()];
        let end = Instant::now() + CHILDREN_LIMIT;
        while !level.is_empty() && frames.len() < MOST_FRAMES && Instant::now() < end {
            let shows_pdf = |frame: &Frame| frames.get(&frame.number()).is_some_and(|read| read.pdf);
            let children: Vec<Frame> = self
                .frames()
                .into_iter()
                .filter(|frame| {
                    frame.parent().is_some_and(|parent| level.contains(parent) && !shows_pdf(parent))
                })
                .take(MOST_FRAMES - frames.len())
                .collect();
            let options = SnapshotTreeOptions { root: None, ..options };
            let read = children.iter().map(|frame| {
                let limit = if frame.mark_read() { FIRST_CHILD_LIMIT } else { CHILD_LIMIT };
                timeout_at(end.min(Instant::now() + limit), read(frame, options))
            });
            let read = self.fail_on_dialog(async { Ok(join_all(read).await) }).await?;
            for (frame, read) in children.iter().zip(read) {
                match read {
                    Ok(Ok(read)) => frames.insert(frame.number(), read),
                    Ok(Err(_)) => None,
                    Err(_) => frames.insert(frame.number(), snapshot::Frame::unresponsive()),
                };
            }
            level = children;
        }
        let main = self.main_frame().number();
        Ok(snapshot::Tree::assemble(context, self.number(), main, top.number(), frames))
    }

    /// Gives new elements the refs of those that they replaced. Returns the replacements that succeeded.
    pub async fn transfer_refs(&self, redrawn: Vec<ElementReplacement>) -> Vec<ElementReplacement> {
        let mut kept = Vec::new();
        let numbers: HashSet<u32> = redrawn.iter().map(|redrawn| redrawn.frame).collect();
        for frame in numbers.into_iter().filter_map(|number| self.frame_by_number(number)) {
            let own = || redrawn.iter().filter(|redrawn| redrawn.frame == frame.number());
            let pairs: Vec<_> = own().map(|redrawn| (redrawn.old, redrawn.new)).collect();
            let ask = async { frame.utility_world().await?.call("takeOver", &[json!(pairs)]).await };
            let taken: Result<HashSet<(u32, u32)>> =
                timeout(CHILD_LIMIT, ask).await.unwrap_or(Err(Error::FrameDetached));
            let taken = taken.unwrap_or_default();
            kept.extend(own().filter(|redrawn| taken.contains(&(redrawn.old, redrawn.new))));
        }
        kept
    }

    /// Whether a snapshot would contain `text`. Ignores case and element boundaries.
    pub async fn contains_text(&self, text: &str) -> Result<bool> {
        Ok(!self.find_text(text, true).await?.is_empty())
    }

    /// Counts how often a snapshot would contain `text`. Ignores case and element boundaries.
    pub async fn count_text(&self, text: &str) -> Result<TextCount> {
        self.find_text(text, false).await
    }

    /// Counts a text in the frames of the page. `once`: only until a frame contains it.
    async fn find_text(&self, text: &str, once: bool) -> Result<TextCount> {
        let mut count = TextCount::default();
        let mut level = vec![self.main_frame().clone()];
        let mut asked = 0;
        while !level.is_empty() && asked < MOST_FRAMES {
            asked += level.len();
            let answer = join_all(level.iter().map(async |frame| match frame.parent() {
                None => find_text_in(frame, text).await,
                Some(_) => {
                    timeout(CHILD_LIMIT, find_text_in(frame, text)).await.unwrap_or(Err(Error::FrameDetached))
                }
            }))
            .await;
            let mut shown = Vec::new();
            for answer in answer {
                match answer {
                    Ok(answer) => {
                        for (place, more) in answer.counts.0 {
                            *count.0.entry(place).or_default() += more;
                        }
                        shown.extend(answer.frames);
                    }
                    // A frame whose document is being replaced counts as empty.
                    Err(Error::DocumentGone | Error::FrameDetached | Error::Script { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            if once && !count.is_empty() {
                break;
            }
            level = self.frames().into_iter().filter(|frame| shown.contains(&frame.number())).collect();
        }
        Ok(count)
    }
}

/// How often a page contains a text: by the role of the element that it names, `ROLE value` for the values of fields,
/// `text` for other texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct TextCount(HashMap<String, usize>);

impl TextCount {
    /// A count of one text that belongs to no role.
    pub fn once() -> Self {
        Self(HashMap::from([("text".to_owned(), 1)]))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the page contains the text once more than `before`, in any place.
    pub fn is_more_than(&self, before: &Self) -> bool {
        self.0.iter().any(|(place, count)| *count > before.0.get(place).copied().unwrap_or_default())
    }
}

/// A text in a collapsed part of a page that the browser's find-in-page could reveal.
#[derive(Debug, Clone, Deserialize)]
pub struct CollapsedText {
    pub text: String,
    /// The visible element that expands the part; `None` if unknown.
    pub by: Option<ElementSummary>,
}

impl Frame {
    /// Returns the texts in collapsed parts of the document that the browser's find-in-page could reveal: in
    /// closed `details`, and in elements with `hidden="until-found"`.
    pub async fn collapsed_texts(&self) -> Result<Vec<CollapsedText>> {
        let texts: Vec<CollapsedText> = self.utility_world().await?.call("closedTexts", &[]).await?;
        self.set_last_ref(
            texts.iter().filter_map(|text| text.by.as_ref()).map(|by| by.number).max().unwrap_or_default(),
        );
        Ok(texts)
    }
}

/// The result of a text search in one frame.
#[derive(Debug, Deserialize)]
struct TextSearch {
    counts: TextCount,
    /// Whether the frame shows a PDF, whose text scripts cannot read.
    pdf: bool,
    /// The numbers of the child frames that a snapshot would show.
    frames: Vec<u32>,
}

async fn find_text_in(frame: &Frame, text: &str) -> Result<TextSearch> {
    let world = frame.utility_world().await?;
    adopt_children(frame, &world).await;
    let answer: TextSearch = world.call("tells", &[Value::from(text)]).await?;
    if !answer.pdf {
        return Ok(answer);
    }
    let is_found = pdf_of(frame).await.as_ref().as_ref().is_ok_and(|document| document.contains(text));
    let counts = if is_found { TextCount::once() } else { TextCount::default() };
    Ok(TextSearch { counts, pdf: true, frames: Vec::new() })
}

/// Reads one frame. Starts again, at most twice, if the document is replaced meanwhile.
async fn read(frame: &Frame, options: SnapshotTreeOptions) -> Result<snapshot::Frame> {
    const ATTEMPTS: usize = 3;
    let mut attempt = 1;
    loop {
        match walk(frame, options).await {
            Err(Error::DocumentGone) if attempt < ATTEMPTS => attempt += 1,
            read => return read,
        }
    }
}

async fn walk(frame: &Frame, options: SnapshotTreeOptions) -> Result<snapshot::Frame> {
    let world = frame.utility_world().await?;
    adopt_children(frame, &world).await;
    let root = options.root.map(|(_, number)| number);
    let arguments = json!({ "boxes": options.boxes, "allRefs": options.all_refs, "root": root });
    let walk = || walk_once(frame, &world, &arguments);
    let (mut walked, hearers) = try_join!(walk(), new_listening_nodes(frame, &world))?;
    if !hearers.is_empty() && walked.len() <= LARGEST_TEXT {
        adopt_listening_nodes(&world, &hearers).await?;
        walked = walk().await?;
    }
    if walked.pdf {
        let read = pdf_of(frame).await;
        let read = read.as_ref().as_ref().map_err(String::as_str);
        return Ok(walked.with_pdf(read, options.all_refs));
    }
    with_closed_roots(frame, &world, &arguments, walked).await
}

/// Repeats the walk while it reports closed shadow roots that it could not enter, and once more if the
/// browser knows other roles of custom elements.
async fn with_closed_roots(
    frame: &Frame,
    world: &UtilityWorld,
    arguments: &Value,
    mut walked: snapshot::Frame,
) -> Result<snapshot::Frame> {
    for _ in 0..DEEPEST_ROOTS {
        if walked.suspects == 0 || adopt_closed_roots(world, walked.suspects).await? == 0 {
            break;
        }
        walked = walk_once(frame, world, arguments).await?;
    }
    if walked.customs > 0 && adopt_internals(world).await.unwrap_or(false) {
        walked = walk_once(frame, world, arguments).await?;
    }
    Ok(walked)
}

async fn walk_once(frame: &Frame, world: &UtilityWorld, arguments: &Value) -> Result<snapshot::Frame> {
    let json: String = world.call("walk", std::slice::from_ref(arguments)).await?;
    let walked = snapshot::Frame::parse(&json)
        .map_err(|error| Error::Unreadable { method: "the walk of a frame", reason: error.to_string() })?;
    frame.set_last_ref(walked.last);
    Ok(walked)
}

/// Returns nodes with pointer listeners that the engine does not know yet. Empty if the query takes too long.
async fn new_listening_nodes(frame: &Frame, world: &UtilityWorld) -> Result<Vec<i64>> {
    if world.is_crowded() {
        return Ok(Vec::new());
    }
    let limit = if frame.parent().is_some() { CHILD_LISTENING_NODES_LIMIT } else { LISTENING_NODES_LIMIT };
    let listening = async { try_join!(listeners(frame), listeners_of_children(frame)) };
    let Ok(Ok((listeners, of_children))) = timeout(limit, listening).await else { return Ok(Vec::new()) };
    if listeners.len() > MOST_LISTENERS {
        world.set_crowded();
    }
    let received = listeners.iter().filter(|listener| is_pointed_at(&listener.kind));
    let nodes = received.map(|listener| listener.backend_node_id).filter(|node| !of_children.contains(node));
    Ok(world.unknown_nodes(nodes).into_iter().take(MOST_LISTENING_NODES).collect())
}

/// Returns all event listeners in a frame and in those of its child frames that share its process.
async fn listeners(frame: &Frame) -> Result<Vec<EventListener>> {
    let world = frame.utility_world().await?;
    let [document, _] = world.page_globals().await?;
    let of = GetEventListeners { object_id: document.id().to_owned(), depth: Some(-1), pierce: Some(true) };
    Ok(world.session().call(of).await?.listeners)
}

/// Returns the backend ids of nodes with listeners in same-process child frames, to exclude them.
async fn listeners_of_children(frame: &Frame) -> Result<HashSet<i64>> {
    let (page, session) = (frame.page()?, frame.session());
    let children = page.frames().into_iter().filter(|child| child.parent() == Some(frame));
    let children: Vec<_> = children.filter(|child| child.session().id() == session.id()).collect();
    let listeners = join_all(children.iter().map(listeners)).await.into_iter().flatten().flatten();
    Ok(listeners.map(|listener| listener.backend_node_id).collect())
}

fn is_pointed_at(kind: &str) -> bool {
    matches!(
        kind,
        "click"
            | "dblclick"
            | "mousedown"
            | "mouseup"
            | "pointerdown"
            | "pointerup"
            | "touchstart"
            | "dragstart"
            | "mouseenter"
            | "pointerenter"
    )
}

async fn adopt_listening_nodes(world: &UtilityWorld, nodes: &[i64]) -> Result<()> {
    let session = world.session();
    let resolve = |node: &i64| ResolveNode {
        backend_node_id: Some(*node),
        execution_context_id: Some(world.context_id()),
        ..ResolveNode::default()
    };
    let resolved: Vec<_> = nodes.iter().map(|node| session.send(resolve(node))).collect();
    let objects = join_all(resolved).await.into_iter().flatten().filter_map(|node| node.object.object_id);
    let handles: Vec<_> = objects.map(|id| RemoteHandle::new(session.clone(), id)).collect();
    let _: Option<bool> =
        world.call_with("adoptHearers", handles.iter().map(RemoteHandle::argument).collect()).await?;
    Ok(())
}

/// Tells the engine which frame each `<iframe>` contains. A snapshot omits frames whose element is unknown.
async fn adopt_children(frame: &Frame, world: &UtilityWorld) {
    let Ok(page) = frame.page() else { return };
    let children = page.frames().into_iter().filter(|child| child.parent() == Some(frame));
    let adopted = children.take(MOST_FRAMES).map(|child| async move {
        if let Ok(Some((owner_world, owner))) = child.owner_element().await
            && child.needs_adoption(&owner_world)
        {
            let arguments = vec![owner.argument(), value_argument(&child.number())];
            let answer: Result<Option<bool>> = world.call_with("adoptFrame", arguments).await;
            if answer.is_ok() {
                child.adopted_in(&owner_world);
            }
        }
    });
    join_all(adopted).await;
}
