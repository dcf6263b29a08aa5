//! The tool that asks a person for help (`browser_ask_person`).
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::Result;
use crate::error::LiveViewLink;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};
use crate::session::handoff;

/// Ask the user to do on this page what only they can: log in, pay, decide. Waits until they are done.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct AskPerson {
    /// What the user should do, and why.
    #[schemars(length(min = 1, max = 500))]
    pub reason: String,
}

impl Tool for AskPerson {
    const NAME: &'static str = "browser_ask_person";
    const TITLE: &'static str = "Ask the user";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;
    // This tool hands the page over to a person, so it does not wait while the person controls the page.
    const WAITS_FOR_PERSON: bool = false;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        // Does not reserve the page, so that other calls can use it while the person watches.
        let page = call.current_page()?;
        if let Some(LiveViewLink { url, code, seconds }) = call.watching(&page, &self.reason).await {
            let entered = code.as_ref().map(|code| format!(" and enter the code {code}")).unwrap_or_default();
            reply.say(format!(
                "The user can only watch here. Ask them to open {url}{entered}, within {} minutes, and go on.",
                seconds.div_ceil(60)
            ));
            let person = json!({ "url": url, "code": code, "expiresInSeconds": seconds });
            reply.set_structured(json!({ "status": "watched", "person": person }));
            return Ok(());
        }
        let patience = call.settings.timeouts.login;
        let waited = handoff::ask_person(&page, &self.reason, patience, &call.person_contact()).await?;
        reply.say(format!("The user says that it is done, after {} s.", waited.as_secs()));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}
