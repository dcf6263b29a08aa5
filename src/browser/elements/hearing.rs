//! Finds the event listeners that a pointer or key event would reach.
//!
//! Only the browser knows all listeners, but it identifies nodes by backend node ids. So an injected script
//! reports the nodes on an event's path, and the browser reports which of them have listeners.
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use tokio::time::sleep;
use tokio::try_join;

use super::element::ElementHandle;
use crate::browser::input::{InputListeners, Point};
use crate::browser::objects::world::{RemoteHandle, value_argument};
use crate::cdp::types::dom::{DescribeNode, EventListener, GetEventListeners};
use crate::cdp::types::runtime::GetProperties;
use crate::error::Result;

/// The maximum number of elements with wheel listeners to consider.
const MOST_WHEEL_HEARERS: usize = 100;

/// How long a page may take to react to an event.
const ANSWERING: Duration = Duration::from_millis(50);

/// What a page listens to when an element receives keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::browser) enum ListensTo {
    Nothing,
    /// Focus events of the element.
    Focus,
    Keys,
}

/// All event listeners in the document of an element.
#[derive(Debug)]
pub(in crate::browser) struct Listeners {
    /// Listeners on nodes, including those of frames in the same process.
    on_nodes: Vec<EventListener>,
    on_window: Vec<EventListener>,
}

impl Listeners {
    /// Asks the browser for all listeners on the nodes and the window of an element's document.
    pub(in crate::browser) async fn in_document_of(target: &ElementHandle) -> Result<Self> {
        let session = target.handle().session();
        let [document, window] = target.world().page_globals().await?;
        let listeners = |found: &RemoteHandle, depth: Option<i64>| {
            let object_id = found.id().to_owned();
            session.send(GetEventListeners { object_id, depth, pierce: depth.map(|_| true) })
        };
        let listeners = try_join!(listeners(document, Some(-1)), listeners(window, None));
        let (on_nodes, on_window) = listeners.map(|(nodes, window)| (nodes.listeners, window.listeners))?;
        Ok(Self { on_nodes, on_window })
    }

    /// Whether the window has a listener for an event type that `is_meant` accepts.
    pub(in crate::browser) fn on_window(&self, is_meant: impl Fn(&str) -> bool) -> bool {
        self.on_window.iter().any(|listener| is_meant(&listener.kind))
    }

    /// Returns the listeners on nodes for event types that `is_meant` accepts.
    pub(in crate::browser) fn on_nodes(
        &self,
        is_meant: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &EventListener> {
        self.on_nodes.iter().filter(move |listener| is_meant(&listener.kind))
    }

    fn anywhere(&self, is_meant: impl Fn(&str) -> bool + Copy) -> bool {
        self.on_window(is_meant) || self.on_nodes(is_meant).next().is_some()
    }

    /// Whether the page listens to presses and releases, and so can measure the time between them.
    fn hear_presses(&self) -> bool {
        self.anywhere(begins_press) && self.anywhere(ends_press)
    }
}

impl ElementHandle {
    /// Returns what the page listens to when this element receives keys.
    pub(in crate::browser) async fn hearing(&self) -> Result<ListensTo> {
        // In a frame of another process, an element that a script focuses receives no keys: it must be clicked first.
        if self.frame().session().id() != self.frame().page()?.session().id() {
            return Ok(ListensTo::Keys);
        }
        let listeners = Listeners::in_document_of(self).await?;
        if listeners.on_window(is_key) || self.is_key_listened_to(&listeners).await? {
            return Ok(ListensTo::Keys);
        }
        Ok(if listeners.anywhere(is_focus) { ListensTo::Focus } else { ListensTo::Nothing })
    }

    /// Waits until the page has had time to react to a change, if it listens to `input`, `change` or `click`.
    pub(super) async fn until_answered(&self) {
        let listeners = self.frame().page().is_ok_and(|page| page.dialog().is_none());
        if listeners
            && Listeners::in_document_of(self).await.is_ok_and(|listeners| listeners.anywhere(is_change))
        {
            self.until_timers_ran(ANSWERING).await;
        }
    }

    /// Sleeps for `pause`, and then waits until the page has run the timers that are due.
    pub(super) async fn until_timers_ran(&self, pause: Duration) {
        sleep(pause).await;
        let _ = self.recorded_result::<()>("afterTimers").await;
    }

    async fn is_key_listened_to(&self, listeners: &Listeners) -> Result<bool> {
        if listeners.on_nodes(is_key).next().is_none() {
            return Ok(false);
        }
        let Some(hearers) = self.world().call_handle("hearers", vec![self.handle().argument()]).await? else {
            return Ok(true);
        };
        let [hear, _] = numbers(&hearers).await?;
        Ok(listeners.on_nodes(is_key).any(|listener| hear.contains(&listener.backend_node_id)))
    }

    /// Finds the elements with wheel listeners, to keep the wheel away from them. Returns whether any exist.
    pub(in crate::browser) async fn learn_wheel_hearers(&self) -> Result<bool> {
        // If the browser cannot list the listeners, only controls that usually react to the wheel are avoided.
        let Ok(listeners) = Listeners::in_document_of(self).await else { return Ok(false) };
        let (session, context) = (self.world().session(), Some(self.world().context_id()));
        let found = listeners.on_nodes(is_wheel).take(MOST_WHEEL_HEARERS);
        let found = found.map(async |listener| {
            let node = RemoteHandle::of_node(session, listener.backend_node_id, context).await.ok()??;
            Some((listener.passive, node))
        });
        let (passive, nodes): (Vec<bool>, Vec<_>) = join_all(found).await.into_iter().flatten().unzip();
        if nodes.is_empty() {
            return Ok(false);
        }
        let mut arguments = vec![value_argument(&passive)];
        arguments.extend(nodes.iter().map(RemoteHandle::argument));
        self.world().call_with::<Option<bool>>("adoptWheelHearers", arguments).await?;
        Ok(true)
    }

    /// Returns what the page listens to when the pointer moves over these points and presses at the end.
    pub(in crate::browser) async fn listened_on_way(
        &self,
        listeners: &Listeners,
        way: &[Point],
    ) -> Result<InputListeners> {
        let moves = self.frame().parent().is_some()
            || listeners.on_window(is_move)
            || self.is_way_listened_to(listeners, way).await?;
        Ok(InputListeners { moves, presses: listeners.hear_presses(), keys: true })
    }

    async fn is_way_listened_to(&self, listeners: &Listeners, way: &[Point]) -> Result<bool> {
        let listening: Vec<_> =
            listeners.on_nodes(is_move).map(|listener| listener.backend_node_id).collect();
        // The listeners of other frames on the pointer's path are unknown.
        let is_alone = self.frame().page()?.frames().len() == 1;
        if listening.is_empty() && is_alone {
            return Ok(false);
        }
        let Some(under) = self.world().call_handle("underPoints", vec![value_argument(&way)]).await? else {
            return Ok(true);
        };
        let [under, _] =
            if listening.is_empty() { [const { Vec::new() }; 2] } else { numbers(&under).await? };
        Ok(listening.iter().any(|node| under.contains(node)))
    }
}

/// Returns the backend ids of the nodes in an array: those before a `null`, and those after the `null`.
pub(in crate::browser) async fn numbers(nodes: &RemoteHandle) -> Result<[Vec<i64>; 2]> {
    let list = GetProperties { object_id: nodes.id().to_owned(), own_properties: Some(true) };
    let list = nodes.session().call(list).await?.result;
    let objects = list.into_iter().filter(|entry| entry.enumerable).filter_map(|entry| entry.value);
    let objects: Vec<_> = objects.map(|object| object.object_id).collect();
    let before = objects.iter().take_while(|id| id.is_some()).count();
    let described = objects.into_iter().flatten();
    let described = described
        .map(|id| nodes.session().send(DescribeNode { object_id: Some(id), ..DescribeNode::default() }));
    let mut numbers: Vec<_> = try_join_all(described.collect::<Vec<_>>())
        .await?
        .into_iter()
        .map(|described| described.node.backend_node_id)
        .collect();
    let behind = numbers.split_off(before);
    Ok([numbers, behind])
}

/// Whether events of this type reveal the pointer's position or movement.
fn is_move(kind: &str) -> bool {
    const WAYS: [&str; 6] = ["move", "over", "out", "enter", "leave", "rawupdate"];
    let way = kind.strip_prefix("pointer").or_else(|| kind.strip_prefix("mouse"));
    way.is_some_and(|way| WAYS.contains(&way))
}

fn is_wheel(kind: &str) -> bool {
    matches!(kind, "wheel" | "mousewheel" | "DOMMouseScroll")
}

fn is_key(kind: &str) -> bool {
    matches!(kind, "keydown" | "keypress" | "keyup")
}

fn is_change(kind: &str) -> bool {
    matches!(kind, "input" | "change" | "click" | "beforeinput")
}

fn is_focus(kind: &str) -> bool {
    matches!(kind, "focus" | "focusin" | "select" | "selectionchange")
}

/// Whether events of this type occur when a button goes down, which may move the focus.
fn begins_press(kind: &str) -> bool {
    const BEGINNINGS: [&str; 11] = [
        "pointerdown",
        "mousedown",
        "gotpointercapture",
        "selectstart",
        "selectionchange",
        "focus",
        "focusin",
        "blur",
        "focusout",
        "change",
        "touchstart",
    ];
    BEGINNINGS.contains(&kind)
}

fn ends_press(kind: &str) -> bool {
    matches!(kind, "pointerup" | "mouseup" | "lostpointercapture" | "click" | "auxclick" | "touchend")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_distinguished_from_presses() {
        for kind in ["mousemove", "pointerrawupdate", "mouseenter", "pointerleave", "mouseover", "pointerout"]
        {
            assert!(is_move(kind), "{kind}");
        }
        for kind in ["mousedown", "pointerup", "click", "dragover", "pointercancel", "move"] {
            assert!(!is_move(kind), "{kind}");
        }
    }
}
