//! Highlights that the browser draws over a page: around elements, and under the pointer while the user picks
//! an element. A page cannot detect them, and does not receive the click that picks an element.
use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::try_join_all;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

use super::audit::RAW_LIMIT;
use crate::browser::elements::element::ElementHandle;
use crate::browser::elements::way::ElementLocators;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::hooks::{Extensions, Hooks};
use crate::browser::objects::page::Page;
use crate::browser::objects::raw::RawSession;
use crate::error::{Error, Result};

/// The maximum number of elements that a selector highlights. Each needs a separate CDP session.
const MOST_FRAMED: usize = 30;

/// A CDP session that shows a highlight or the element picker until it is dropped.
#[derive(Debug)]
struct OverlaySession(RawSession);

impl Drop for OverlaySession {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

/// The highlights of a page, by frame and selector, and its element picker.
#[derive(Debug, Default)]
struct Overlays {
    framed: Mutex<HashMap<(String, String), Vec<OverlaySession>>>,
    picking: Mutex<Option<Arc<Notify>>>,
    /// The session of the last pick. While it exists, the page does not receive the rest of the click.
    picked: Mutex<Option<OverlaySession>>,
}

pub(in crate::browser) struct OverlayHooks;

impl Hooks for OverlayHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<Overlays>();
    }
}

impl OverlaySession {
    async fn on(frame: &Frame) -> Result<Self> {
        let drawn = Self(frame.attach_raw().await?);
        for method in ["DOM.enable", "Overlay.enable"] {
            drawn.send(method, json!({})).await?;
        }
        Ok(drawn)
    }

    async fn send(&self, method: &str, parameters: Value) -> Result<Value> {
        self.0.send(method, &parameters, RAW_LIMIT).await
    }

    /// Returns the id of the child frame that contains a node; `None` for the session's own frame. Call it
    /// before resolving the node: a world of the wrong frame would permanently bind the node to that frame.
    async fn frame_of(&self, backend_node: i64) -> Result<Option<String>> {
        let family = Arc::<Mutex<NodeAncestry>>::default();
        let received = Arc::clone(&family);
        self.0.forward_events(Arc::new(move |method, message| {
            if method == "DOM.setChildNodes"
                && let Ok(event_json) = serde_json::from_slice::<Value>(message)
            {
                let event_json = event_json.get("params").unwrap_or(&event_json);
                let nodes = event_json["nodes"].as_array().into_iter().flatten();
                nodes.for_each(|node| received.lock().add(node, event_json["parentId"].as_i64()));
            }
        }));
        let document = self.send("DOM.getDocument", json!({ "depth": 0 })).await?;
        family.lock().add(&document["root"], None);
        let nodes = json!({ "backendNodeIds": [backend_node] });
        let nodes = self.send("DOM.pushNodesByBackendIdsToFrontend", nodes).await?;
        let family = family.lock();
        let parent = |node: &i64| family.parents.get(node).copied();
        let ancestors = std::iter::successors(nodes["nodeIds"][0].as_i64(), parent);
        Ok(ancestors.into_iter().find_map(|node| family.frames.get(&node).cloned()))
    }
}

/// The parents of DOM nodes, by node id. Node ids are specific to a CDP session.
#[derive(Debug, Default)]
struct NodeAncestry {
    parents: HashMap<i64, i64>,
    /// The frame ids, by the node id of each frame's document.
    frames: HashMap<i64, String>,
}

impl NodeAncestry {
    fn add(&mut self, node: &Value, parent: Option<i64>) {
        let Some(id) = node["nodeId"].as_i64() else { return };
        self.parents.extend(parent.map(|parent| (id, parent)));
        let document = &node["contentDocument"];
        if let (Some(document), Some(frame)) = (document["nodeId"].as_i64(), node["frameId"].as_str()) {
            self.frames.insert(document, frame.to_owned());
        }
        let lists = ["children", "shadowRoots"].into_iter().filter_map(|name| node[name].as_array());
        let inner = lists.flatten().chain([document]);
        inner.for_each(|inner| self.add(inner, Some(id)));
    }
}

/// The highlight colours of the browser's developer tools.
fn colours() -> Value {
    let colour = |r: u8, g: u8, b: u8| json!({ "r": r, "g": g, "b": b, "a": 0.66 });
    json!({
        "showInfo": true,
        "showAccessibilityInfo": true,
        "contentColor": colour(111, 168, 220),
        "paddingColor": colour(147, 196, 125),
        "borderColor": colour(255, 229, 153),
        "marginColor": colour(246, 178, 107),
    })
}

impl Frame {
    /// Highlights the current matches of a selector until `hide_highlight` is called or the document is gone.
    pub async fn highlight(&self, selector: &str) -> Result<()> {
        let mut found = self.locator(selector, false)?.all().await?;
        found.truncate(MOST_FRAMED);
        let drawn = try_join_all(found.iter().map(draw_around)).await?;
        let page = self.page()?;
        page.extension::<Overlays>().framed.lock().insert(self.key_of(selector), drawn);
        Ok(())
    }

    /// Removes the highlight of a selector.
    pub fn hide_highlight(&self, selector: &str) -> Result<()> {
        self.page()?.extension::<Overlays>().framed.lock().remove(&self.key_of(selector));
        Ok(())
    }

    fn key_of(&self, selector: &str) -> (String, String) {
        (self.id().to_owned(), selector.to_owned())
    }
}

async fn draw_around(element: &ElementHandle) -> Result<OverlaySession> {
    let node = element.handle().describe().await?.backend_node_id;
    let drawn = OverlaySession::on(element.frame()).await?;
    drawn
        .send("Overlay.highlightNode", json!({ "highlightConfig": colours(), "backendNodeId": node }))
        .await?;
    Ok(drawn)
}

impl Page {
    /// Removes all highlights of this page.
    pub fn hide_highlights(&self) {
        self.extension::<Overlays>().framed.lock().clear();
    }

    /// Waits until the user clicks an element, and returns its locators. The page does not receive the click.
    ///
    /// # Errors Returns `cancelled` after another call of `pick_locator`, or after `cancel_pick_locator`.
    pub async fn pick_locator(&self) -> Result<ElementLocators> {
        let given_up = Arc::new(Notify::new());
        if let Some(before) = self.extension::<Overlays>().picking.lock().replace(Arc::clone(&given_up)) {
            before.notify_one();
        }
        let (picks, mut picked) = mpsc::unbounded_channel();
        let mut drawn = Vec::new();
        for frame in self.frames().iter().filter(|frame| has_own_session(frame)) {
            let overlay = OverlaySession::on(frame).await?;
            let (picks, at) = (picks.clone(), drawn.len());
            overlay.0.forward_events(Arc::new(move |method, message| {
                if method == "Overlay.inspectNodeRequested"
                    && let Ok(event_json) = serde_json::from_slice::<Value>(message)
                    && let Some(node) =
                        event_json.get("params").unwrap_or(&event_json)["backendNodeId"].as_i64()
                {
                    let _ = picks.send((at, node));
                }
            }));
            let mode = json!({ "mode": "searchForNode", "highlightConfig": colours() });
            overlay.send("Overlay.setInspectMode", mode).await?;
            drawn.push((frame.clone(), overlay));
        }
        let (at, node) = tokio::select! {
            () = given_up.notified() => {
                return Err(Error::Cancelled);
            }
            Err(gone) = self.until(|_| None::<()>) => return Err(gone),
            Some(picked) = picked.recv() => picked,
        };
        let (root, overlay) = drawn.swap_remove(at);
        drop(drawn);
        let frame = overlay.frame_of(node).await?.and_then(|id| self.frame_by_id(&id)).unwrap_or(root);
        overlay.send("Overlay.setInspectMode", json!({ "mode": "none", "highlightConfig": {} })).await?;
        *self.extension::<Overlays>().picked.lock() = Some(overlay);
        ElementHandle::by_backend_node_id(&frame, node).await?.generate_locators().await
    }

    /// Cancels a waiting call of `pick_locator`.
    pub fn cancel_pick_locator(&self) {
        if let Some(picking) = self.extension::<Overlays>().picking.lock().take() {
            picking.notify_one();
        }
    }
}

fn has_own_session(frame: &Frame) -> bool {
    frame.parent().is_none_or(|parent| parent.session().id() != frame.session().id())
}
