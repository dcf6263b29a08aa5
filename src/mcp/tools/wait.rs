//! Waiting for a page.
use std::time::Duration;

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::{Instant, sleep, timeout_at};

use crate::Result;
use crate::browser::{Page, Scope, value_argument};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::tool::{Effect, Patience, Tool};

/// How often the page is looked at.
const PAUSE: Duration = Duration::from_millis(100);

/// Wait until a text is visible, until it is gone, or for a time. Give one of the three.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WaitFor {
    #[schemars(length(min = 1))]
    pub text: Option<String>,
    #[schemars(length(min = 1))]
    pub text_gone: Option<String>,
    /// Seconds.
    #[schemars(range(min = 0, max = 60))]
    pub time: Option<f64>,
}

impl Tool for WaitFor {
    const NAME: &'static str = "browser_wait_for";
    const TITLE: &'static str = "Wait";
    const EFFECT: Effect = Effect::Reads;
    const PATIENCE: Patience = Patience::Endless;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let told = match (self.text, self.text_gone, self.time) {
            (Some(text), None, None) => {
                let page = call.open_page().await?;
                call.progress.say("waiting for the text");
                page.unless_stuck(None, until(&page, &text, true, call.settings.navigation_limit)).await?;
                format!("Text '{text}' appeared on page")
            }
            (None, Some(text), None) => {
                let page = call.open_page().await?;
                call.progress.say("waiting for the text to go");
                page.unless_stuck(None, until(&page, &text, false, call.settings.navigation_limit)).await?;
                format!("Text '{text}' disappeared from page")
            }
            (None, None, Some(seconds)) => {
                call.progress.say(format!("waiting {seconds} s"));
                sleep(Duration::try_from_secs_f64(seconds).unwrap_or_default()).await;
                format!("Waited for {seconds} seconds")
            }
            _ => {
                let problem = "Give exactly one of `text`, `textGone` and `time`".to_owned();
                return Err(Error::InvalidArguments { problems: vec![problem] });
            }
        };
        reply.say(told);
        reply.show(View::Changes);
        Ok(())
    }
}

/// Looks until the text is there, or is not, in any frame.
async fn until(page: &Page, text: &str, there: bool, limit: Duration) -> Result<()> {
    let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let deadline = Instant::now() + limit;
    let mut changes = page.changes();
    loop {
        if let Some(dialog) = page.dialog() {
            return Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message });
        }
        let seen = match timeout_at(deadline, page.unless_dialog(is_visible(page, &wanted))).await {
            Ok(seen) => Some(seen?),
            Err(_) => None,
        };
        if seen == Some(there) {
            return Ok(());
        }
        if Instant::now() >= deadline {
            let what = if there { "the text" } else { "the end of the text" };
            return Err(Error::WaitRanOut { what: what.to_owned(), waited: limit });
        }
        let pause = (Instant::now() + PAUSE).min(deadline);
        page.changed_before(&mut changes, pause).await;
        tokio::time::sleep_until(pause).await;
    }
}

/// Whether a person could read the text somewhere on the page: rendered, not hidden, in the document or a shadow tree.
async fn is_visible(page: &Page, text: &str) -> Result<bool> {
    let frames = page.frames();
    let looks = frames.iter().map(|frame| async move {
        let shown = frame.evaluate(VISIBLE_TEXT, vec![value_argument(&text)], Scope::Isolated).await;
        match shown {
            Ok(shown) => Ok(shown == true),
            // A frame that is just being replaced shows nothing.
            Err(Error::DocumentGone | Error::FrameDetached | Error::Script { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    });
    for seen in join_all(looks).await {
        if seen? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `innerText` is what is rendered; the trees that it leaves out are asked one by one.
const VISIBLE_TEXT: &str = "(text) => {
  const shows = (element) => element?.innerText?.replace(/\\s+/g, ' ').includes(text) ?? false;
  const search = (root) => {
    for (const element of root.querySelectorAll('*')) {
      const shadow = element.shadowRoot;
      if (shadow && ([...shadow.children].some(shows) || search(shadow))) return true;
      if (element.localName === 'input' && element.checkVisibility() && element.type !== 'password'
          && element.value.includes(text)) return true;
    }
    return false;
  };
  return shows(document.body) || search(document);
}";
