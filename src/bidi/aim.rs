//! Routes a gesture to the frame that it hits. An iframe of another site receives only input that is sent to
//! its own browsing context, in its own coordinates; input sent to the tab ends at the `<iframe>` element.
use serde_json::{Value, json};
use url::Url;

use super::driver::Driver;
use super::errors::Refusal;
use super::runtime::ask_page_raw;
use super::state::State;

/// The browsing context of a frame, with the offset and scale of its coordinates within the tab.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FramePosition {
    pub context: String,
    left: f64,
    top: f64,
    scale: f64,
}

impl FramePosition {
    pub(super) fn tab(tab: &str) -> Self {
        Self { context: tab.to_owned(), left: 0.0, top: 0.0, scale: 1.0 }
    }

    /// Returns whether this frame's coordinates differ from those of the tab.
    fn is_elsewhere(&self) -> bool {
        [self.left, self.top, self.scale - 1.0].iter().any(|by| by.abs() > 1e-9)
    }

    /// Returns the position of a frame nested in this one. `value` has its offset and scale in this frame.
    fn inner(&self, context: &str, value: &Value) -> Self {
        let number = |name: &str| value[name].as_f64().unwrap_or_default();
        Self {
            context: context.to_owned(),
            left: self.left + number("left") * self.scale,
            top: self.top + number("top") * self.scale,
            scale: self.scale * value["scale"].as_f64().filter(|scale| *scale > 0.0).unwrap_or(1.0),
        }
    }

    /// Converts the point of a BiDi action from the tab's coordinates to this frame's.
    pub(super) fn aimed(&self, mut action: Value) -> Value {
        let whole = action["type"] == "scroll";
        for (name, begin) in [("x", self.left), ("y", self.top)] {
            if let Some(at) = action[name].as_f64().filter(|_| self.is_elsewhere()) {
                let at = (at - begin) / self.scale;
                #[expect(clippy::cast_possible_truncation, reason = "pixels")]
                let rounded = at.round() as i64;
                action[name] = if whole { rounded.into() } else { at.into() };
            }
        }
        action
    }
}

/// How many levels of nested frames are searched at most.
const DEEPEST: usize = 20;

/// Returns whether a frame of the tab shows a page from another origin than the frame around it.
pub(super) fn embeds_other_sites(state: &State, tab: &str) -> bool {
    let origin = |url: &str| {
        let url = Url::parse(url).ok()?;
        matches!(url.scheme(), "http" | "https" | "file").then(|| url.origin().ascii_serialization())
    };
    let around = |frame: &str| {
        let mut frame = state.frames.get(frame)?;
        for _ in 0..DEEPEST {
            frame = state.frames.get(frame.parent.as_ref()?)?;
            if let Some(origin) = origin(&frame.url) {
                return Some(origin);
            }
        }
        None
    };
    let frames = state.frames.iter().filter(|(_, frame)| frame.tab == tab && frame.parent.is_some());
    frames.into_iter().any(|(id, frame)| origin(&frame.url).is_some_and(|own| around(id) != Some(own)))
}

/// Returns the frame that receives pointer input at a point of the tab, in CSS pixels.
pub(super) async fn at_point(driver: &Driver, tab: &str, x: f64, y: f64) -> Result<FramePosition, Refusal> {
    const LOOK: &str = "(x, y) => { \
        let [left, top, scale, root, last] = [0, 0, 1, document, null]; \
        for (;;) { \
            const at = root.elementFromPoint((x - left) / scale, (y - top) / scale); \
            if (!at || at === last) return null; \
            last = at; \
            if (/^(?:IFRAME|FRAME|OBJECT|EMBED)$/.test(at.nodeName) && at.contentWindow) { \
                const box = at.getBoundingClientRect(), style = getComputedStyle(at); \
                const across = at.offsetWidth ? box.width / at.offsetWidth : 1; \
                left += (box.left + (at.clientLeft + parseFloat(style.paddingLeft)) * across) * scale; \
                top += (box.top + (at.clientTop + parseFloat(style.paddingTop)) * across) * scale; \
                scale *= across; \
                if (!at.contentDocument) return { frame: at.contentWindow, left, top, scale }; \
                root = at.contentDocument; \
            } else if (at.shadowRoot) { root = at.shadowRoot; } else { return null; } \
        } }";
    let mut place = FramePosition::tab(tab);
    for _ in 0..DEEPEST {
        let point = place.aimed(json!({"x": x, "y": y}));
        let given = ["x", "y"].map(|name| json!({"type": "number", "value": point[name]})).to_vec();
        match inner(&ask_page_raw(driver, &place.context, LOOK, given).await?) {
            Some((context, inner_point)) => place = place.inner(&context, &inner_point),
            None => break,
        }
    }
    Ok(place)
}

/// Returns the browsing context of the frame that receives keyboard input.
pub(super) async fn at_focus(driver: &Driver, tab: &str) -> Result<String, Refusal> {
    const LOOK: &str = "() => { let at = document.activeElement; \
        for (;;) { \
            if (at && at.shadowRoot && at.shadowRoot.activeElement) at = at.shadowRoot.activeElement; \
            else if (at && /^(?:IFRAME|FRAME|OBJECT|EMBED)$/.test(at.nodeName) && at.contentWindow) { \
                if (!at.contentDocument) return { frame: at.contentWindow }; \
                at = at.contentDocument.activeElement; \
            } else { return null; } \
        } }";
    let mut context = tab.to_owned();
    for _ in 0..DEEPEST {
        match inner(&ask_page_raw(driver, &context, LOOK, Vec::new()).await?) {
            Some((within, _)) => context = within,
            None => break,
        }
    }
    Ok(context)
}

/// Parses a script's result: the browsing context of the nested frame, and the other properties.
fn inner(value: &Value) -> Option<(String, Value)> {
    let entries = value["value"].as_array()?;
    let mut context = None;
    let mut beside = json!({});
    for entry in entries {
        match entry[0].as_str()? {
            "frame" => context = entry[1]["value"]["context"].as_str().map(str::to_owned),
            name => beside[name] = entry[1]["value"].clone(),
        }
    }
    Some((context?, beside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_counted_from_where_the_frame_begins() {
        let outer = FramePosition::tab("1").inner("2", &json!({"left": 100, "top": 50, "scale": 0.5}));
        let place = outer.inner("3", &json!({"left": 20, "top": 10, "scale": 1}));
        assert_eq!(
            outer.aimed(json!({"type": "pointerMove", "x": 110, "y": 60})),
            json!({"type": "pointerMove", "x": 20.0, "y": 20.0})
        );
        assert_eq!(
            place.aimed(json!({"type": "scroll", "x": 111, "y": 56})),
            json!({"type": "scroll", "x": 2, "y": 2})
        );
        assert_eq!(FramePosition::tab("1").aimed(json!({"x": 3})), json!({"x": 3}));
    }

    #[test]
    fn a_frame_that_was_found_is_reported_by_its_name() {
        let found = json!({"value": [
            ["frame", {"type": "window", "value": {"context": "7"}}],
            ["left", {"type": "number", "value": 5}],
        ]});
        assert_eq!(inner(&found), Some(("7".to_owned(), json!({"left": 5}))));
        assert_eq!(inner(&json!({"type": "null"})), None);
    }
}
