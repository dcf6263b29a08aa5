//! Captions on screencast frames: overlays, chapter titles and the names of actions. The page does not see them.
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::action::ElementAction;
use super::actionability::{ActionOptions, RequiredState};
use super::element::ElementHandle;
use super::locator::duration_from_ms;
use crate::browser::input::{Point, Rect};
use crate::browser::objects::hooks::{Extensions, Hooks};
use crate::browser::objects::page::Page;
use crate::error::Result;
use crate::messages::html::escape_html;

/// The default time for which an action is shown before it is performed, in milliseconds.
const USUAL_MS: f64 = 500.0;
/// How long to wait until a screencast frame contains the caption. The display time starts then.
const MOST_LAYING: Duration = Duration::from_secs(5);

/// One overlay. Later overlays cover earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::browser) struct Caption {
    id: u64,
    /// HTML, laid out at the size of the viewport.
    pub(in crate::browser) html: String,
    /// Whether the screencast below the caption is blurred.
    pub(in crate::browser) blurs: bool,
}

/// Options of the captions that describe each action on top of the page.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ActionCaptions {
    duration: Option<f64>,
    /// `none` or `pointer`.
    cursor: Option<String>,
    font_size: Option<f64>,
    /// The position of the action's name, such as `top-right`.
    position: Option<String>,
    style: ActionStyles,
}

/// CSS declarations for each part of an action's caption.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ActionStyles {
    point: Option<String>,
    highlight: Option<String>,
    title: Option<String>,
}

#[derive(Debug, Default)]
struct CaptionState {
    last: u64,
    captions: Vec<Caption>,
    hidden: bool,
    how: Option<ActionCaptions>,
    action: Option<String>,
    /// The number of changes so far.
    version: u64,
}

/// The number of changes so far, and the visible captions.
pub(in crate::browser) type Visible = (u64, Arc<[Caption]>);

impl CaptionState {
    fn visible(&self) -> Arc<[Caption]> {
        let own = self.captions.iter().filter(|_| !self.hidden).cloned();
        let action = self.action.iter().map(|html| Caption { id: 0, html: html.clone(), blurs: false });
        own.chain(action).collect()
    }
}

/// The captions of one page, and the channels to the screencasts that show them.
#[derive(Debug)]
struct Captions {
    board: Mutex<CaptionState>,
    visible: watch::Sender<Visible>,
    /// The version (number of changes) of the captions that screencast frames contain.
    laid: watch::Sender<u64>,
}

impl Default for Captions {
    fn default() -> Self {
        Self {
            board: Mutex::default(),
            visible: watch::Sender::new(Visible::default()),
            laid: watch::Sender::new(0),
        }
    }
}

impl Captions {
    fn change<T>(&self, work: impl FnOnce(&mut CaptionState) -> T) -> T {
        let mut board = self.board.lock();
        let done = work(&mut board);
        board.version += 1;
        self.visible.send_replace((board.version, board.visible()));
        done
    }

    /// Waits until screencast frames contain the current captions, if a screencast runs.
    async fn until_laid(&self) {
        let version = self.board.lock().version;
        if self.visible.receiver_count() > 0 {
            let laid = &mut self.laid.subscribe();
            let _ = timeout(MOST_LAYING, laid.wait_for(|laid| *laid >= version)).await;
        }
    }
}

/// The hooks that store the captions of each page.
pub(in crate::browser) struct CaptionHooks;

impl Hooks for CaptionHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<Captions>();
    }
}

impl Page {
    /// Shows HTML over the screencast, but not in the page. Returns the caption's number, for removing it.
    pub fn add_caption(&self, html: &str) -> u64 {
        self.add_layer(html.to_owned(), false)
    }

    /// Like [`add_caption`](Self::add_caption), but shows a title in the middle of the blurred screencast.
    pub fn add_chapter(&self, title: &str, description: Option<&str>) -> u64 {
        const CARD: &str = "background: rgba(0, 0, 0, 0.7); border: 1px solid rgba(255, 255, 255, 0.15); border-radius: 16px; \
            padding: 40px 56px; max-width: 560px; box-shadow: 0 8px 32px rgba(0, 0, 0, 0.4); text-align: center; \
            font-family: system-ui, sans-serif";
        let mut card = format!(
            "<div style='color: white; font-size: 28px; font-weight: 600; line-height: 1.3'>{}</div>",
            escape_html(title)
        );
        if let Some(description) = description {
            let style =
                "color: rgba(255, 255, 255, 0.7); font-size: 15px; line-height: 1.5; margin-top: 12px";
            let _ = write!(card, "<div style='{style}'>{}</div>", escape_html(description));
        }
        let middle =
            "position: absolute; inset: 0; display: flex; align-items: center; justify-content: center";
        self.add_layer(format!("<div style='{middle}'><div style='{CARD}'>{card}</div></div>"), true)
    }

    fn add_layer(&self, html: String, blurs: bool) -> u64 {
        self.extension::<Captions>().change(|board| {
            board.last += 1;
            board.captions.push(Caption { id: board.last, html, blurs });
            board.last
        })
    }

    /// Waits until a caption was shown for this time, and removes the caption.
    pub async fn remove_caption_after(&self, number: u64, time: Duration) {
        self.extension::<Captions>().until_laid().await;
        sleep(time).await;
        self.remove_caption(number);
    }

    /// Removes the caption with this number.
    pub fn remove_caption(&self, number: u64) {
        self.extension::<Captions>().change(|board| board.captions.retain(|caption| caption.id != number));
    }

    /// Hides all captions and chapters, or shows them again.
    pub fn set_action_captions_hidden(&self, hidden: bool) {
        self.extension::<Captions>().change(|board| board.hidden = hidden);
    }

    /// Shows each action on an element before it is performed, while a screencast runs. `None` disables this.
    pub fn set_action_captions(&self, how: Option<ActionCaptions>) {
        self.extension::<Captions>().change(|board| board.how = how);
    }

    /// Returns a receiver of this page's visible captions and their changes.
    pub(in crate::browser) fn captions(&self) -> watch::Receiver<Visible> {
        self.extension::<Captions>().visible.subscribe()
    }

    /// Confirms that screencast frames contain all changes up to this version.
    pub(in crate::browser) fn captions_laid(&self, version: u64) {
        self.extension::<Captions>().laid.send_replace(version);
    }
}

impl ElementHandle {
    /// Shows an action in the screencast before it is performed. Returns the part of `limit` that is left.
    pub(super) async fn show_action(&self, action: &ElementAction, limit: Duration) -> Result<Duration> {
        let page = self.frame().page()?;
        let captions = page.extension::<Captions>();
        let Some(how) = captions.board.lock().how.clone() else { return Ok(limit) };
        let Some(title) = action.title().filter(|_| captions.visible.receiver_count() > 0) else {
            return Ok(limit);
        };
        let deadline = Instant::now() + limit;
        let options = ActionOptions::within(limit);
        let point = match action {
            action if action.is_forced() => None,
            ElementAction::Click(_) | ElementAction::Tap(_) | ElementAction::SetChecked { .. } => {
                Some(self.wait_until_actionable(RequiredState::CLICKABLE, &options).await?)
            }
            ElementAction::Hover(_) => {
                Some(self.wait_until_actionable(RequiredState::HOVERABLE, &options).await?)
            }
            ElementAction::SetInputFiles { .. } => None,
            _ => self.scroll_into_view(&options).await.map(|()| None)?,
        };
        let html = how.html(&title, point, self.bounding_box().await?);
        captions.change(|board| board.action = Some(html));
        let while_shown = async {
            captions.until_laid().await;
            sleep(how.duration.map_or(duration_from_ms(USUAL_MS), duration_from_ms).unwrap_or_default())
                .await;
        };
        let _ = timeout_at(deadline, while_shown).await;
        captions.change(|board| board.action = None);
        Ok(deadline.saturating_duration_since(Instant::now()))
    }
}

impl ActionCaptions {
    fn html(&self, title: &str, point: Option<Point>, around: Option<Rect>) -> String {
        let mut html = String::new();
        let mut add = |style: &str, own: Option<&String>, inner: &str| {
            let own = own.map(|own| escape_html(own)).unwrap_or_default();
            let _ = write!(html, "<div style=\"position: absolute; {style}; {own}\">{inner}</div>");
        };
        if let Some(Rect { x, y, width, height }) = around {
            let place = format!("left: {x}px; top: {y}px; width: {width}px; height: {height}px");
            let look =
                "box-sizing: border-box; border: 2px solid #2a7fff; background: rgba(42, 127, 255, 0.2)";
            add(&format!("{place}; {look}"), self.style.highlight.as_ref(), "");
        }
        if let Some(Point { x, y }) = point {
            let place = format!("left: {}px; top: {}px; width: 20px; height: 20px", x - 10.0, y - 10.0);
            let look = "border-radius: 10px; background: rgba(255, 0, 0, 0.6)";
            add(&format!("{place}; {look}"), self.style.point.as_ref(), "");
            if self.cursor.as_deref() != Some("none") {
                let arrow = "<svg width='20' height='28' viewBox='0 0 10 14'>\
                    <path d='M0 0v12l3-3 2 5 2-1-2-5h4z' fill='black' stroke='white'/></svg>";
                add(&format!("left: {x}px; top: {y}px"), None, arrow);
            }
        }
        let size = self.font_size.unwrap_or(24.0);
        let look = format!(
            "font: {size}px system-ui, sans-serif; color: white; background: rgba(0, 0, 0, 0.7); padding: 6px 14px; \
             border-radius: 8px"
        );
        add(&format!("{}; {look}", self.place()), self.style.title.as_ref(), &escape_html(title));
        html
    }

    fn place(&self) -> String {
        let position = self.position.as_deref().unwrap_or("top-right");
        let edge = if position.starts_with("bottom") { "bottom" } else { "top" };
        let side = match position.rsplit('-').next() {
            Some(side @ ("left" | "right")) => format!("{side}: 12px"),
            _ => "left: 50%; transform: translateX(-50%)".to_owned(),
        };
        format!("{edge}: 12px; {side}")
    }
}

impl ElementAction {
    /// Returns the action's caption, without typed text, which may be secret. `None` hides the action.
    fn title(&self) -> Option<String> {
        let name = match self {
            Self::Click(press) if press.is_trial() => return None,
            Self::Click(press) if press.is_double() => "Double click",
            Self::Click(_) => "Click",
            Self::Hover(_) => "Hover",
            Self::Tap(_) => "Tap",
            Self::Fill { .. } => "Fill",
            Self::Press { key, .. } => return Some(format!("Press {key}")),
            Self::Type { .. } => "Type",
            Self::SetChecked { checked: true, .. } => "Check",
            Self::SetChecked { .. } => "Uncheck",
            Self::SelectOption { .. } => "Select option",
            Self::SetInputFiles { .. } => "Set input files",
            Self::Drop(_) => "Drop",
            _ => return None,
        };
        Some(name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_each_corner_and_cannot_leave_its_layer() {
        let how = ActionCaptions { position: Some("bottom".to_owned()), ..ActionCaptions::default() };
        assert_eq!(how.place(), "bottom: 12px; left: 50%; transform: translateX(-50%)");
        assert_eq!(ActionCaptions::default().place(), "top: 12px; right: 12px");
        let html = how.html("Press </div><b>", None, None);
        assert!(html.ends_with("Press &lt;/div&gt;&lt;b&gt;</div>"), "{html}");
    }
}
