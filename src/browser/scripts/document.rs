//! A frame's document: its content, and waiting for conditions in it.
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::handle::{JsHandle, NO_LIMIT};
use super::value::JsValue;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::navigation::{NavigateOptions, WaitUntil};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::ScriptWorld;
use crate::cdp::types::page::SetDocumentContent;
use crate::error::{Error, Result};

/// The default interval between two checks of a condition: about one frame of a 60 Hz display.
const LOOK_PAUSE: Duration = Duration::from_millis(16);
/// How long after the deadline a check that is already running may continue.
const LAST_LOOK: Duration = Duration::from_millis(500);

const WRITTEN: &str = include_str!("../injected/written.js");
const WITH_SHADOWS: &str = include_str!("../injected/shadow.js");
const ADD_TAG: &str = include_str!("../injected/tag.js");

/// A script or style sheet to add to a document.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TagOptions {
    /// The URL of the script or style sheet.
    pub src: Option<String>,
    /// The inline content.
    pub text: Option<String>,
    #[serde(rename = "type")]
    pub kind: Option<String>,
}

impl Frame {
    /// Returns the document as HTML, with its doctype.
    pub async fn html(&self) -> Result<String> {
        self.read_text(WRITTEN).await
    }

    /// Like [`html`](Self::html), including open shadow roots.
    pub async fn html_with_shadows(&self) -> Result<String> {
        self.read_text(WITH_SHADOWS).await
    }

    /// Returns the title of the document. Has no time limit of its own.
    pub async fn document_title(&self) -> Result<String> {
        self.read_text("document.title").await
    }

    /// Runs a built-in script in the isolated world. Returns an empty string if the result is no string.
    async fn read_text(&self, script: &str) -> Result<String> {
        match self.realm(ScriptWorld::Isolated).await?.evaluate(script, &JsValue::Undefined).await? {
            JsValue::Text(text) => Ok(text),
            _ => Ok(String::new()),
        }
    }

    /// Adds a tag named `name` (`script` or `style`) to the document and waits until its URL has loaded.
    /// Returns a handle of the new element, or `Error::Script` if loading fails.
    pub async fn add_tag(&self, name: &str, tag: &TagOptions) -> Result<JsHandle> {
        let argument = JsValue::from_json(&json!([name, tag]));
        self.realm(ScriptWorld::Main).await?.evaluate_handle(ADD_TAG, &argument).await
    }

    /// Waits until the frame's URL differs from `url`. Returns the URL, which is unchanged after `limit`.
    pub async fn wait_for_url_change(&self, url: &str, limit: Duration) -> Result<String> {
        let page = self.page()?;
        let moved = page.until(|_| match self.is_detached() {
            true => Some(Err(self.detached_error())),
            false => Some(self.url()).filter(|now| now != url).map(Ok),
        });
        match timeout(limit, moved).await {
            Ok(moved) => moved?,
            Err(_) => Ok(self.url()),
        }
    }

    /// Replaces the content of the document, and waits for the lifecycle event `options.until`.
    pub async fn set_content(&self, html: &str, options: &NavigateOptions) -> Result<()> {
        let deadline = Instant::now() + options.limit;
        let slow = || Error::NavigationSlow { waited: options.limit };
        self.place_all(&self.missing_functions(html)).await?;
        self.restart_document();
        let set = SetDocumentContent { frame_id: self.id().to_owned(), html: html.to_owned() };
        let set = self.session().send(set).within(NO_LIMIT);
        timeout_at(deadline, set).await.unwrap_or_else(|_| Err(slow()))?;
        let left = deadline.saturating_duration_since(Instant::now());
        self.wait_for_lifecycle(options.until, left).await.map_err(|error| match error {
            Error::NavigationSlow { .. } => slow(),
            other => other,
        })
    }

    /// Waits until the frame's document, even if it is replaced meanwhile, has reached the event `until`.
    pub async fn wait_for_lifecycle(&self, until: WaitUntil, limit: Duration) -> Result<()> {
        let page = self.page()?;
        let reached = page.until(|_| match self.is_detached() {
            true => Some(Err(self.detached_error())),
            false => self.lifecycle_events().reached(until).then_some(Ok(())),
        });
        match timeout(limit, reached).await {
            Ok(reached) => reached?,
            Err(_) => Err(Error::NavigationSlow { waited: limit }),
        }
    }

    /// Evaluates `script` every `pause` (default: 16 ms) until its result is truthy. Returns that result.
    pub async fn wait_for_function(
        &self,
        script: &str,
        argument: &JsValue,
        scope: ScriptWorld,
        pause: Option<Duration>,
        limit: Duration,
    ) -> Result<JsHandle> {
        let ran_out = || Error::WaitRanOut { what: "the condition".to_owned(), waited: limit };
        let deadline = Instant::now() + limit;
        loop {
            let look = async { self.realm(scope).await?.evaluate_handle(script, argument).await };
            // The last check may finish after the deadline, so that its effects on the page do not come after the wait.
            match timeout_at(deadline + LAST_LOOK, look).await.map_err(|_| ran_out())? {
                Ok(found) if found.is_truthy() => return Ok(found),
                Ok(_) | Err(Error::DocumentGone) => {}
                Err(error) => return Err(error),
            }
            if timeout_at(deadline, sleep(pause.unwrap_or(LOOK_PAUSE))).await.is_err() {
                return Err(ran_out());
            }
        }
    }
}

impl Page {
    /// Returns the width and height of the viewport, in CSS pixels.
    pub async fn measure_viewport_size(&self) -> Result<(f64, f64)> {
        let size = self
            .main_frame()
            .evaluate("[innerWidth, innerHeight]", Vec::new(), ScriptWorld::Isolated)
            .await?;
        let side = |index: usize| size[index].as_f64().unwrap_or_default();
        Ok((side(0), side(1)))
    }
}
