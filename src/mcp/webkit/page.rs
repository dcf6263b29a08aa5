//! The tools that work on a page, in WebKit.
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use url::Url;

use super::InWebkit;
use crate::Result;
use crate::browser::{
    DownloadState, ImageFormat, SameSite, SnapshotTreeOptions, StoredCookie, move_to_folder,
};
use crate::error::{Error, in_quotes};
use crate::folders::make_private;
use crate::mcp::call::Call;
use crate::mcp::describe::{
    describe_download, report_drawn, report_unlisted_changes, report_unseen, share_download, show_snapshot,
};
use crate::mcp::page_text;
use crate::mcp::reply::{Image, PageState, Reply};
use crate::mcp::settings::ImageResponses;
use crate::mcp::tools::dialog::HandleDialog;
use crate::mcp::tools::evaluate::{Evaluate, say_value};
use crate::mcp::tools::input::{Click, Type, clicked};
use crate::mcp::tools::inspect::Snapshot;
use crate::mcp::tools::milliseconds;
use crate::mcp::tools::navigate::{DOWNLOAD_NOTE, LoadState, Navigate};
use crate::mcp::tools::screenshot::{Saved, TakeScreenshot};
use crate::mcp::tools::storage::{Cookies, StorageAction};
use crate::snapshot::{self, ComparisonBase, Tree};
use crate::webdriver::{ClickOptions, DownloadEntry, Element, WebkitPage};

/// The time limit for finding a match of a selector.
const SEEK_LIMIT: Duration = Duration::from_secs(2);

fn not_there(what: &str, reason: &'static str) -> Error {
    Error::NotInWebkit { what: what.to_owned(), reason }
}

pub(super) async fn navigate(asked: Navigate, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let url = at.call.parse_url(&asked.url)?;
    if matches!(asked.wait_until, Some(LoadState::Commit | LoadState::NetworkIdle)) {
        return Err(not_there(
            "waiting for that",
            "its driver tells of no requests, only that a page has loaded",
        ));
    }
    if !at.session.is_running() {
        at.call.progress.set_message("starting WebKit");
    }
    let page = at.session.acquire_page().await?;
    if page.dialog().await?.is_some() {
        page.answer_dialog(false, None).await?;
        reply.add_event("A dialog was dismissed, to leave the page.");
    }
    at.call.progress.set_message("loading the page");
    let limit = asked.timeout.map_or(at.call.settings.timeouts.navigation, milliseconds);
    match page.navigate(url.as_str(), limit).await {
        Ok(arrived) if arrived.is_file => {
            reply.say(DOWNLOAD_NOTE);
            return report_page(&page, at, reply).await;
        }
        Ok(_) | Err(Error::DialogOpen { .. }) => {}
        Err(error) => return Err(error),
    }
    describe(&page, at, true, reply).await
}

pub(super) async fn back(at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let page = at.session.acquire_open_page().await?;
    at.call.progress.set_message("loading the page");
    page.back(at.call.settings.timeouts.navigation).await?;
    describe(&page, at, true, reply).await
}

pub(super) async fn snapshot(asked: Snapshot, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let page = at.session.acquire_open_page().await?;
    let root = match &asked.r#ref {
        Some(text) => Some(target(&page, text).await?),
        None => None,
    };
    at.call.progress.set_message("reading the page");
    let tree = Arc::new(page.capture(asked.capture_options(), root.as_ref()).await?);
    if let Some(tree_seen) = asked.show(tree, &asked.options(at.call), root.is_some(), at.call, reply) {
        page.set_last_snapshot(tree_seen);
    }
    report_page(&page, at, reply).await
}

pub(super) async fn click(asked: Click, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    if asked.tap {
        return Err(not_there("tapping", "its driver has a pointer and keys, and no touch"));
    }
    if asked.position.is_some() {
        return Err(not_there("pressing at a place of an element", "this server presses its middle there"));
    }
    let page = at.session.acquire_open_page().await?;
    let element = target(&page, &asked.r#ref).await?;
    at.call.progress.set_message("clicking");
    let press = ClickOptions {
        button: asked.button,
        count: if asked.double_click { 2 } else { 1 },
        modifiers: asked.modifiers,
        force: false,
    };
    page.click(&element, &press, at.call.settings.timeouts.action).await?;
    reply.say(format!("{} {}", clicked(press.count), description(&page, &element, asked.element.as_deref())));
    end(&page, at, reply).await
}

pub(super) async fn type_text(asked: Type, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let Some(text) = &asked.r#ref else {
        return Err(not_there("typing where the focus is", "its driver types into an element: give its ref"));
    };
    let page = at.session.acquire_open_page().await?;
    let element = target(&page, text).await?;
    at.call.progress.set_message("typing");
    let limit = at.call.settings.timeouts.action;
    let shown = match asked.slowly {
        true => {
            page.fill(&element, "", limit).await?;
            page.type_keys(&element, &asked.text, None).await?;
            Some(page.input_value(&element).await?)
        }
        false => page.fill(&element, &asked.text, limit).await?,
    };
    if let Some(shown) = &shown
        && shown.is_empty() != asked.text.trim().is_empty()
    {
        return Err(Error::NotTaken {
            shows: if shown.secret { String::new() } else { shown.values.join(", ") },
        });
    }
    if asked.submit {
        page.type_keys(&element, "\n", None).await?;
    }
    let shows = match shown.filter(|shown| !shown.secret && !asked.submit) {
        Some(shown) => format!(", which shows {}", page_text::line_or_json(&shown.values.join(", "))),
        None => String::new(),
    };
    let submitted = if asked.submit { " and submitted" } else { "" };
    reply.say(format!(
        "Typed into {}{submitted}{shows}",
        description(&page, &element, asked.element.as_deref())
    ));
    end(&page, at, reply).await
}

pub(super) async fn answer_dialog(asked: HandleDialog, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let page = at.session.acquire_open_page().await?;
    let message = page.dialog().await?.ok_or(Error::NoDialog)?;
    page.answer_dialog(asked.accept, asked.prompt_text.as_deref().filter(|_| asked.accept)).await?;
    let done = if asked.accept { "Accepted" } else { "Dismissed" };
    reply.say(format!("{done} the dialog {}", in_quotes(&page_text::one_line(&message))));
    end(&page, at, reply).await
}

pub(super) async fn evaluate(asked: Evaluate, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let page = at.session.acquire_open_page().await?;
    let element = match &asked.r#ref {
        Some(text) => Some(target(&page, text).await?),
        None => None,
    };
    at.call.progress.set_message("running the script");
    let value =
        page.evaluate(&asked.function, element.as_ref(), at.call.settings.timeouts.navigation).await?;
    say_value(&value, at.call.has_output_file(), reply);
    if page.dialog().await?.is_some() {
        return describe(&page, at, false, reply).await;
    }
    report_opened(&page, reply).await?;
    report_page(&page, at, reply).await
}

pub(super) async fn picture(asked: TakeScreenshot, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    let (file, format) = asked.file_and_format(at.call).await?;
    if format != ImageFormat::Png {
        return Err(not_there("a picture of this type", "its driver makes PNG"));
    }
    let place = file.resolve().await?;
    let page = at.session.acquire_open_page().await?;
    let element = match &asked.r#ref {
        Some(text) => Some(target(&page, text).await?),
        None => None,
    };
    let (picture, what) = match &element {
        Some(element) => {
            (page.screenshot(Some(element)).await?, description(&page, element, asked.element.as_deref()))
        }
        None if asked.full_page => (page.full_page_screenshot().await?, "full page".to_owned()),
        None => (page.screenshot(None).await?, "viewport".to_owned()),
    };
    let shown = (at.call.settings.image_responses == ImageResponses::Inline)
        .then(|| Image { base64: BASE64_STANDARD.encode(&picture), mime_type: format.mime_type() });
    let saved = Saved { name: file.name().to_owned(), format, what };
    saved
        .write(Ok(place), picture, at.call, reply, |reply| {
            if let Some(shown) = shown {
                reply.add_image(shown);
            }
        })
        .await
}

/// Lists or changes cookies of the page's URL. WebKit's driver has no access to others.
pub(super) async fn cookies(asked: Cookies, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    asked.check()?;
    let page = match asked.action {
        StorageAction::Set => at.session.acquire_page().await?,
        _ => at.session.acquire_open_page().await?,
    };
    at.call.progress.set_message("reading the cookies");
    let is_meant = |cookie: &Value, site: Option<&str>| {
        let domain = cookie["domain"].as_str().unwrap_or_default().trim_start_matches('.');
        asked.name.as_deref().is_none_or(|name| cookie["name"] == name)
            && site.is_none_or(|site| domain == site || domain.ends_with(&format!(".{site}")))
    };
    let site = asked.site()?.map(|site| site.trim_start_matches('.').to_owned());
    let found = async || -> Result<Vec<Value>> {
        let all = page.cookies().await?;
        Ok(all.into_iter().filter(|cookie| is_meant(cookie, site.as_deref())).collect())
    };
    match asked.action {
        StorageAction::List => reply.say(page_text::json(&found().await?)),
        StorageAction::Set => {
            let given = asked.given()?;
            for cookie in &given {
                page.add_cookie(as_webdriver_has_it(cookie)?).await?;
            }
            reply.say(format!("Set {} cookies", given.len()));
        }
        StorageAction::Delete | StorageAction::Clear => {
            let gone = found().await?;
            for name in gone.iter().filter_map(|cookie| cookie["name"].as_str()) {
                page.delete_cookie(name).await?;
            }
            let left = found().await?.len();
            reply.say(format!("Deleted {} cookies; {left} are still there", gone.len().saturating_sub(left)));
        }
    }
    reply.add_event("In WebKit these are the cookies of the page's own address.");
    Ok(())
}

fn as_webdriver_has_it(cookie: &StoredCookie) -> Result<Value> {
    let url = cookie.url.as_deref().and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or(&cookie.domain);
    let same_site = match cookie.same_site {
        Some(SameSite::Strict) => "Strict",
        Some(SameSite::None) => "None",
        _ => "Lax",
    };
    if cookie.partition_key.is_some() {
        return Err(not_there("a cookie in a partition", "its driver has no word for it"));
    }
    let path = if cookie.path.is_empty() { "/" } else { &cookie.path };
    let mut json = json!({
        "name": cookie.name, "value": cookie.value, "domain": host, "path": path, "secure": cookie.secure,
        "httpOnly": cookie.http_only, "sameSite": same_site,
    });
    if cookie.expires > 0.0 {
        #[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
        let expiry = cookie.expires as i64;
        json["expiry"] = expiry.into();
    }
    Ok(json)
}

async fn target(page: &WebkitPage, text: &str) -> Result<Element> {
    page.find_element(text, SEEK_LIMIT).await
}

/// Describes an element in the caller's words, or by its role and name in the snapshot.
fn description(page: &WebkitPage, element: &Element, words: Option<&str>) -> String {
    let shown = page.last_snapshot().and_then(|tree| {
        let name = element.target();
        let node = tree
            .nodes()
            .iter()
            .find(|node| node.number > 0 && name.parse().is_ok_and(|name| tree.matches_ref(node, &name)))?;
        Some(format!("{} {}", node.role, snapshot::quoted(&node.name)))
    });
    shown.or_else(|| words.map(page_text::line_or_json)).unwrap_or_else(|| "the element".to_owned())
}

/// Waits for effects as far as WebDriver can observe them, and adds them to the reply.
async fn end(page: &WebkitPage, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    at.call.progress.set_message("waiting for what the action caused");
    match page.wait_until_stable(at.call.settings.timeouts.settle).await {
        Ok(()) | Err(Error::DialogOpen { .. }) => {}
        Err(error) => return Err(error),
    }
    describe(page, at, false, reply).await
}

/// Adds the page or its changes to the reply. A dialog is shown instead of the page.
async fn describe(page: &WebkitPage, at: &InWebkit<'_>, whole: bool, reply: &mut Reply) -> Result<()> {
    if let Some(message) = page.dialog().await? {
        let message = page_text::one_line(&message);
        reply.add_modal(format!("dialog {}: answer it with browser_handle_dialog", in_quotes(&message)));
        return Ok(());
    }
    report_opened(page, reply).await?;
    report_page(page, at, reply).await?;
    at.call.progress.set_message("reading the page");
    let tree = Arc::new(page.capture(SnapshotTreeOptions::default(), None).await?);
    report_unseen(&tree, reply);
    show(page.last_snapshot().filter(|_| !whole).as_deref(), &tree, at.call, reply);
    page.set_last_snapshot(tree);
    Ok(())
}

/// Adds the snapshot of the page, or its difference from the snapshot `before`.
fn show(before: Option<&Tree>, tree: &Tree, call: &Call<'_>, reply: &mut Reply) {
    let options = call.snapshot_options();
    let Some(before) = before else {
        show_snapshot(snapshot::render(tree, &options), reply);
        return report_drawn(tree, reply);
    };
    let changes = snapshot::diff_with_base(&ComparisonBase::new(before), tree);
    let is_reported = report_unlisted_changes(before, tree, changes.added + changes.removed == 0, reply);
    if !changes.is_empty() {
        show_snapshot(changes.render(&options), reply);
    } else if !is_reported {
        reply.add_event("Nothing changed in the snapshot.");
    }
}

async fn report_opened(page: &WebkitPage, reply: &mut Reply) -> Result<()> {
    for url in page.close_popups().await? {
        let url = page_text::inline_url(&url);
        reply.add_event(format!(
            "The page opened a window with {url}, which was closed: in WebKit there is one page. Go there with browser_navigate."
        ));
    }
    Ok(())
}

async fn report_page(page: &WebkitPage, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    for (name, state) in keep_downloads(page, at.call).await {
        reply.add_event(describe_download(&name, &state));
        share_download(&name, &state, reply);
    }
    let stands = page.url_and_title().await?;
    at.session.set_url(&stands.url);
    reply.set_page(PageState { url: stands.url, title: stands.title, ..PageState::default() });
    Ok(())
}

/// Moves completed downloads to the output folder. Returns (name, state) for each download.
pub(super) async fn keep_downloads(page: &WebkitPage, call: &Call<'_>) -> Vec<(String, DownloadState)> {
    let mut lines = Vec::new();
    for DownloadEntry { name, state } in page.downloads().await {
        let state = match state {
            DownloadState::Completed { path, .. } => {
                let folder = call.settings.files.output_dir.clone();
                tokio::task::spawn_blocking(move || kept(&path, &folder))
                    .await
                    .unwrap_or_else(|error| DownloadState::Failed { reason: error.to_string() })
            }
            state => state,
        };
        lines.push((name, state));
    }
    lines
}

fn kept(path: &Path, folder: &Path) -> DownloadState {
    match make_private(folder).and_then(|()| move_to_folder(path, folder)) {
        Ok((path, bytes)) => DownloadState::Completed { path, bytes },
        Err(error) => {
            // If it stayed there, every later call would report the download again.
            let _ = std::fs::remove_file(path);
            DownloadState::Failed { reason: error.to_string() }
        }
    }
}
