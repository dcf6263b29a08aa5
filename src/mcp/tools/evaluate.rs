//! The tool that runs JavaScript in the page (`browser_evaluate`).
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Result;
use crate::browser::{ActionTarget, ScriptWorld};
use crate::mcp::budget::MAX_LIST_CHARS;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::target;
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};

/// The maximum number of characters of a script's result in an answer.
const LONGEST_RESULT: usize = MAX_LIST_CHARS;

/// Run JavaScript in the page and return its result.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Evaluate {
    /// `() => { … }`, or `(element) => { … }` with a ref. Can be async.
    #[schemars(length(min = 1))]
    pub function: String,
    /// Ref or selector of the element to pass.
    pub r#ref: Option<String>,
    pub element: Option<String>,
}

impl Tool for Evaluate {
    const NAME: &'static str = "browser_evaluate";
    const TITLE: &'static str = "Run JavaScript";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FILE: Option<&'static str> = Some("json");
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        page.ensure_responsive().await?;
        let element = match &self.r#ref {
            Some(text) => Some(target::find_element(call, &page, text).await?),
            None => None,
        };
        call.confirm_anything(&page, &self.function).await?;
        call.progress.set_message("running the script");
        let (scope, limit) = (ScriptWorld::choose_world(&self.function), call.settings.timeouts.navigation);
        let mut watch = page.watch_effects(ActionTarget::Page).await;
        let value = match &element {
            Some(element) => {
                let (argument, _held) =
                    element.frame().node_argument(element.world(), element.handle(), scope).await?;
                element.frame().evaluate_within(limit, &self.function, vec![argument], scope).await?
            }
            None => page.main_frame().evaluate_within(limit, &self.function, Vec::new(), scope).await?,
        };
        say_value(&value, call.has_output_file(), reply);
        if !watch.has_no_effect().await {
            call.settle(&page, watch).await;
            reply.show_changes();
        }
        Ok(())
    }
}

/// Adds a script's result: a string as text, other values as JSON. A long result is cut unless `is_whole`.
pub(in crate::mcp) fn say_value(value: &Value, is_whole: bool, reply: &mut Reply) {
    let is_text = value.is_string();
    let text = value.as_str().map_or_else(|| page_text::json(value), str::to_owned);
    if is_whole {
        return reply.say(text);
    }
    let say =
        |text: &str, reply: &mut Reply| if is_text { reply.say_page_text(text) } else { reply.say(text) };
    match text.char_indices().nth(LONGEST_RESULT) {
        None => say(&text, reply),
        Some((end, _)) => {
            say(&text[..end], reply);
            let all = text.chars().count();
            reply.say(format!(
                "[cut: these are the first {LONGEST_RESULT} of {all} characters; give filename to have all in a file]"
            ));
        }
    }
}
