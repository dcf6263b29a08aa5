//! Running JavaScript.
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Result;
use crate::browser::Scope;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::target;
use crate::mcp::tool::{Effect, Patience, Tool};

/// The longest result that is shown.
const LONGEST_RESULT: usize = 100_000;

/// Run JavaScript in the page and return its result.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Evaluate {
    /// `() => { … }`, or `(element) => { … }` with a ref. Can be async.
    #[schemars(length(min = 1))]
    pub function: String,
    /// Ref of the element to hand over.
    pub r#ref: Option<String>,
    pub element: Option<String>,
}

impl Tool for Evaluate {
    const NAME: &'static str = "browser_evaluate";
    const TITLE: &'static str = "Run JavaScript";
    const EFFECT: Effect = Effect::Acts;
    const PATIENCE: Patience = Patience::Endless;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        page.must_answer().await?;
        let element = match &self.r#ref {
            Some(text) => Some(target::element(call, &page, text).await?),
            None => None,
        };
        call.progress.say("running the script");
        let (scope, limit) = (Scope::for_script(&self.function), call.settings.navigation_limit);
        let value = match &element {
            Some(element) => {
                let (argument, _held) =
                    element.frame().argument_in(element.world(), element.handle(), scope).await?;
                element.frame().evaluate_within(limit, &self.function, vec![argument], scope).await?
            }
            None => page.main_frame().evaluate_within(limit, &self.function, Vec::new(), scope).await?,
        };
        say_value(&value, reply);
        Ok(())
    }
}

/// A string as it is, anything else as JSON.
fn say_value(value: &Value, reply: &mut Reply) {
    let text = match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    match text.char_indices().nth(LONGEST_RESULT) {
        None => reply.quote(&text),
        Some((end, _)) => {
            reply.quote(&text[..end]);
            let all = text.chars().count();
            reply.say(format!("[cut: these are the first {LONGEST_RESULT} of {all} characters]"));
        }
    }
}
