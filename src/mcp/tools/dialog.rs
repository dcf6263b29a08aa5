//! The tool that answers dialogs (`browser_handle_dialog`).
use schemars::JsonSchema;
use serde::Deserialize;

use super::program;
use crate::Result;
use crate::browser::{ActionTarget, AnsweredDialog};
use crate::error::{Error, in_quotes};
use crate::mcp::call::Call;
use crate::mcp::page_text::one_line;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{Tool, ToolEffect};

/// Accept or dismiss the open dialog. If none is open, set the answer to the next one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandleDialog {
    pub accept: bool,
    /// Answer to a prompt.
    pub prompt_text: Option<String>,
}

impl Tool for HandleDialog {
    const NAME: &'static str = "browser_handle_dialog";
    const TITLE: &'static str = "Answer a dialog";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.current_page()?;
        let verb = if self.accept { "accept" } else { "dismiss" };
        let Some(open) = page.dialog() else {
            let elsewhere = call.tabs().into_iter().find(|tab| tab.page.dialog().is_some());
            if let Some(tab) = elsewhere.filter(|_| call.named_tab().is_none()) {
                let problem =
                    format!("the dialog is open in tab {0}: give `tab` {0}, or select it first", tab.id);
                return Err(Error::InvalidArguments { problems: vec![problem] });
            }
            page.answer_next_dialog(self.accept, self.prompt_text.clone());
            let text = self.prompt_text.filter(|_| self.accept);
            let with = text.map(|text| format!(" with text '{text}'")).unwrap_or_default();
            reply.say(format!("Dialog handler configured: will {verb} next dialog{with}"));
            return Ok(());
        };
        if self.accept {
            call.confirm_anything(&page, &open.message).await?;
        }
        let text = self.prompt_text.or_else(|| open.default_text()).filter(|_| self.accept);
        let mut answered = None;
        let answer = async {
            answered = Some(page.answer_dialog(self.accept, text).await?);
            Ok(())
        };
        call.act_and_settle(&page, ActionTarget::Page, answer).await?;
        let AnsweredDialog { dialog, accepted, text } = answered.ok_or(Error::NoDialog)?;
        let past = if accepted { "Accepted" } else { "Dismissed" };
        let with = text.map(|text| format!(" with {}", in_quotes(&one_line(&text)))).unwrap_or_default();
        reply.say(format!("{past} the {} {}{with}", dialog.kind, in_quotes(&one_line(&dialog.message))));
        if self.accept && !accepted {
            reply
                .add_event("The dialog could not be accepted: another document was taking the page's place.");
        }
        if let Some(program) = program::paused(call) {
            return program.resume(call, reply).await;
        }
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}
