//! The session tools, such as `navigate` and `click`, in WebKit.
use serde_json::json;
use tokio::time::Instant;

use super::{InWebkit, page};
use crate::Result;
use crate::browser::ControlKind;
use crate::browser::input::Button;
use crate::error::Error;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tools::milliseconds;
use crate::mcp::tools::sessions::{Click, LoadState, Navigate, Type, answer};
use crate::messages::sessions as texts;
use crate::webdriver::{ClickOptions, LockedPage};

/// The note next to a status of 0: the specification and the schema require a number.
const NO_STATUS: &str = "WebKit does not tell the status of an answer; 0 stands for that";

/// The error for a URL that starts a download.
const FILE: &str =
    "the page stayed as it was: the address is a file to download, which is kept where downloads are saved";

pub(super) async fn navigate(asked: Navigate, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let url = at.call.parse_url(&asked.url)?;
    if matches!(asked.wait_until, Some(LoadState::NetworkIdle)) {
        return Err(Error::NotInWebkit {
            what: "waiting for the network".to_owned(),
            reason: "its driver tells of no requests",
        });
    }
    let page = turn(at).await?;
    at.call.progress.set_message("loading the page");
    let arrived = page
        .navigate(url.as_str(), asked.timeout.map_or(at.call.settings.timeouts.navigation, milliseconds))
        .await?;
    at.session.set_url(&arrived.url);
    if arrived.is_file {
        let _ = page::keep_downloads(&page, at.call).await;
        return Err(Error::NavigationFailed { reason: FILE.to_owned() });
    }
    let mut json = json!({
        "success": true, "title": arrived.title, "url": arrived.url, "status": 0, "note": NO_STATUS,
    });
    reply.set_plain_text(page_text::json_line(&json));
    json["untrusted"] = json!(["title", "url"]);
    reply.set_structured(json);
    Ok(())
}

pub(super) async fn click(asked: Click, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let page = turn(at).await?;
    let limit = asked.timeout.map_or(at.call.settings.timeouts.action, milliseconds);
    let begun = Instant::now();
    at.call.progress.set_message("clicking");
    let element = page.find(&asked.selector, limit).await?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the schema says 1 to 10")]
    let count = asked.click_count.unwrap_or(1.0) as u32;
    let press = ClickOptions { button: Button::Left, count, modifiers: Vec::new(), force: asked.force };
    page.click(&element, &press, limit.saturating_sub(begun.elapsed())).await?;
    end(&page, at).await?;
    answer(reply, json!({ "success": true, "message": texts::CLICKED_MESSAGE }));
    Ok(())
}

pub(super) async fn type_text(asked: Type, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let page = turn(at).await?;
    let limit = asked.timeout.map_or(at.call.settings.timeouts.action, milliseconds);
    let begun = Instant::now();
    at.call.progress.set_message("typing");
    let element = page.find(&asked.selector, limit).await?;
    page.until_editable(&element, limit.saturating_sub(begun.elapsed())).await?;
    if asked.clear {
        page.fill(&element, "", limit.saturating_sub(begun.elapsed())).await?;
    }
    let before = page.input_value(&element).await?;
    page.type_keys(&element, &asked.text, asked.delay.map(milliseconds)).await?;
    if !asked.text.is_empty() && !asked.text.contains(['\n', '\r', '\t']) {
        let shown = page.input_value(&element).await?;
        if shown == before && shown.kind != ControlKind::None {
            return Err(Error::NotTaken {
                shows: if shown.secret { String::new() } else { shown.values.join(", ") },
            });
        }
    }
    end(&page, at).await?;
    answer(reply, json!({ "success": true, "message": texts::TYPED_MESSAGE }));
    Ok(())
}

/// Returns exclusive access to the session's page. Dismisses a dialog, since these tools cannot show one.
async fn turn<'a>(at: &InWebkit<'a>) -> Result<LockedPage<'a>> {
    if !at.session.is_running() {
        at.call.progress.set_message("starting WebKit");
    }
    let page = at.session.acquire_page().await?;
    dismiss(&page).await?;
    Ok(page)
}

async fn dismiss(page: &LockedPage<'_>) -> Result<()> {
    match page.dialog().await? {
        Some(_) => page.answer_dialog(false, None).await,
        None => Ok(()),
    }
}

/// Waits for effects as far as WebDriver can observe them. Dismisses dialogs and closes popups.
async fn end(page: &LockedPage<'_>, at: &InWebkit<'_>) -> Result<()> {
    match page.wait_until_stable(at.call.settings.timeouts.settle).await {
        Ok(()) | Err(Error::DialogOpen { .. }) => {}
        Err(error) => return Err(error),
    }
    dismiss(page).await?;
    page.close_popups().await?;
    // As in other browsers, answers of these tools do not report downloads.
    let _ = page::keep_downloads(page, at.call).await;
    at.session.set_url(&page.url_and_title().await?.url);
    Ok(())
}
