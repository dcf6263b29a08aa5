//! Adds the state of the browser to an answer: the page, its changes, tabs, dialogs and events. Omits what
//! the client has already seen.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use futures_util::future::{OptionFuture, join};
use tokio::task::JoinSet;
use tokio::time::timeout;
use url::Url;

use crate::Result;
use crate::browser::{
    ConsoleLevel, Dialog, Download, DownloadState, HANG_TIMEOUT, MovedElement, Page, SnapshotTreeOptions,
};
use crate::error::{Error, Obstacle, in_quotes};
use crate::mcp::call::{Call, opened_note};
use crate::mcp::files::display_path;
use crate::mcp::page_text;
use crate::mcp::reply::{FileLink, PageDetail, PageState, Reply, TabLine};
use crate::mcp::resources;
use crate::mcp::seen::{MOST_TREES, ShownPage};
use crate::session::Tab;
use crate::snapshot::{self, Changes, ComparisonBase, NumericChange, RenderedSnapshot, Tree};

/// The time limit for reading the title of a background tab.
const TITLE_LIMIT: Duration = Duration::from_millis(300);
/// The time limit for reading a page's console messages.
const CONSOLE_LIMIT: Duration = Duration::from_millis(500);
/// The length at which a console error is cut, in characters.
const LONGEST_ERROR: usize = 160;
/// The time limit for reading the page to report side effects; they are omitted if it takes longer.
const MEANWHILE_LIMIT: Duration = Duration::from_secs(1);
/// If at least this number of lines disappears, checks whether something covers the page.
const MANY: usize = 6;
/// The number of lines with changing numbers, such as clocks, that are remembered.
const MOST_TICKS: usize = 50;

/// The state of the browser before a call.
#[derive(Debug)]
pub(super) struct CallBaseline {
    tabs: HashSet<String>,
    /// Lines of the current page that have changed by themselves since the client saw them.
    ticking: Vec<NumericChange>,
}

impl CallBaseline {
    pub(super) async fn note(call: &Call<'_>) -> Self {
        let tabs = call.tabs().iter().map(|tab| tab.page.id().to_owned()).collect();
        let answers = |page: &Page| page.dialog().is_none() && page.dialog_in_other_tab().is_none();
        let page = call.current_page().ok().filter(answers);
        let ticking = match page {
            Some(page) => ticking(call, &page).await,
            None => Vec::new(),
        };
        Self { tabs, ticking }
    }
}

/// Returns lines with changing numbers, such as clocks, that have changed since the client saw them.
async fn ticking(call: &Call<'_>, page: &Page) -> Vec<NumericChange> {
    let mut ticks = call.kept.seen.lock().shown(page).map(|shown| shown.ticks.clone()).unwrap_or_default();
    if ticks.is_empty() {
        return ticks;
    }
    let claims: Vec<_> = ticks.iter().map(|tick| (tick.key, tick.text.as_str())).collect();
    let mut lacking = page.are_texts_missing(&claims).await.into_iter();
    ticks.retain(|_| lacking.next() == Some(true));
    ticks
}

/// Adds the state of the browser to `reply`: downloads, tabs, dialogs, and the page or its changes.
pub(super) async fn describe(
    call: &Call<'_>,
    before: &CallBaseline,
    failure: Option<&Error>,
    reply: &mut Reply,
) {
    let noted = std::mem::take(&mut *call.report.events.lock());
    for event in call.workspace.take_notices().into_iter().chain(noted) {
        reply.add_event(event);
    }
    report_downloads(call, reply);
    let tabs = call.tabs();
    let page = call.current_page().ok();
    let named = call.named_tab().is_some();
    // A call that names its tab reports only tabs that its page opened, since other clients may open tabs
    // meanwhile. Other calls report all: an action may open a tab without an opener (Ctrl+click).
    let acted = reply.view() == PageDetail::Changes;
    let by_page = |tab: &&Tab| match named {
        true => tab.page.opener().is_some_and(|opener| Some(&opener) == page.as_ref()),
        false => acted || tab.page.has_opener(),
    };
    let opened = tabs.iter().filter(|tab| !before.tabs.contains(tab.page.id())).filter(by_page);
    for event in opened.map(opened_note).chain(call.closed_windows()) {
        reply.add_event(event);
    }
    report_answers(call, page.as_ref(), &tabs, reply);
    report_programs(call, page.as_ref(), &tabs, reply);
    let held_up = match &page {
        Some(page) => page.blocking_dialog_in_other_tab().await.is_some(),
        None => false,
    };
    for tab in tabs.iter().filter(|tab| Some(&tab.page) != page.as_ref()) {
        let concerns = !named || held_up || by_page(&tab);
        let Some(dialog) = tab.page.dialog().filter(|_| concerns) else { continue };
        let waits = if held_up { "; until then the page stands still" } else { "" };
        let (dialog_text, id) = (describe_dialog(&dialog), tab.id);
        reply.add_modal(format!(
            "{dialog_text} in tab {id}: answer it with browser_handle_dialog and tab {id}{waits}"
        ));
    }
    let lists_tabs = reply.view() > PageDetail::Nothing && !named && call.kept.seen.lock().set_tabs(&tabs);
    if (lists_tabs && tabs.len() > 1) || reply.wants_tabs() {
        reply.set_tabs(tab_lines(call.workspace.tabs()).await);
    }
    let known = if named { page.as_ref().map(|page| page.id().to_owned()) } else { None }.unwrap_or_default();
    let Some(page) = page else {
        call.kept.seen.lock().forget_state(&known);
        return;
    };
    if let Some(dialog) = page.dialog() {
        reply.add_modal(format!("{}: answer it with browser_handle_dialog", describe_dialog(&dialog)));
    }
    if page.floods_dialogs() {
        reply.add_event("The page opens dialogs without end; they are dismissed until it is left.");
    }
    match page.file_chooser() {
        Some(chooser) if chooser.backend_node_id.is_none() => {
            page.take_file_chooser();
            reply.add_event(
                "The page asked for files by a picker without an input. The browser cancelled it: only a person can \
                 choose there.",
            );
        }
        Some(_) => reply.add_modal("file chooser: answer it with browser_file_upload"),
        None => {}
    }
    let url = page.attempted_url();
    let moved = call.kept.seen.lock().state(&known).map(|page| &page.url) != Some(&url);
    let answers = !held_up && !matches!(failure, Some(Error::PageBusy));
    let state = (reply.view() > PageDetail::Nothing || moved).then(|| page_state(&page, url, answers));
    // An action that failed halfway may still have led to another page.
    let is_reported = failure.is_none() || (moved && answers);
    let shows = !held_up && is_reported && reply.view() >= PageDetail::Changes;
    let effects = answers && reply.shows_changes() && call.kept.seen.lock().tree(&page).is_some();
    let shown = async {
        if shows || effects {
            show_page(call, &page, before, shows, reply).await;
        }
        report_announcements(call, reply);
    };
    let document = page.main_frame().loader_id();
    let (mut state, ()) = join(OptionFuture::from(state), shown).await;
    if state.is_some() && *page.main_frame().loader_id() != *document {
        // The page has loaded another document meanwhile, of which the snapshot is.
        state = Some(page_state(&page, page.attempted_url(), answers).await);
    }
    if let Some(Error::NotActionable { obstacle: Obstacle::CoveredBy(_), .. }) = failure {
        report_front(call, &page, reply);
    }
    if page.take_reload_loop_stopped() {
        reply.add_event("The page reloads itself without end. It was stopped so that it can be read.");
    }
    if let Some(state) = state {
        // After an action, the state of the page is shown only if it has changed.
        let known = call.kept.seen.lock().set_state(known, state.clone());
        let stays = |known: &PageState| {
            (&known.url, &known.title, &known.status, known.crashed)
                == (&state.url, &state.title, &state.status, state.crashed)
        };
        match known.filter(stays).filter(|_| reply.view() == PageDetail::Changes) {
            None => reply.set_page(state),
            Some(known) if state.console_errors > known.console_errors => {
                let error = state.console_error.unwrap_or_default();
                reply.add_event(format!("Error in the console: {}", snapshot::quoted(&error)));
            }
            Some(_) => {}
        }
    }
}

/// Reports the overlays in front of the page with their controls. The element that covers a target would not be
/// enough, since it is often only a backdrop.
fn report_front(call: &Call<'_>, page: &Page, reply: &mut Reply) {
    const MOST: usize = 8;
    let Some(tree) = call.kept.seen.lock().tree(page) else { return };
    for part in tree.foreground_ranges() {
        let called = tree.nodes()[part.clone()].iter().find(|node| !node.name.trim().is_empty());
        let name = called.map_or("something".to_owned(), |node| snapshot::quoted(node.name.trim()));
        let acts = tree.nodes()[part].iter().filter(|node| node.is_control()).take(MOST);
        let acts: Vec<_> = acts
            .map(|node| format!("{} {} [ref={}]", node.role, snapshot::quoted(&node.name), tree.ref_of(node)))
            .collect();
        if !acts.is_empty() {
            reply.add_event(format!("Over the page lies {name}, with {}.", acts.join(", ")));
        }
    }
}

fn describe_dialog(dialog: &Dialog) -> String {
    let usual = dialog.default_text().filter(|text| !text.is_empty());
    let usual = usual
        .map(|text| format!(" that holds {}", in_quotes(&page_text::one_line(&text))))
        .unwrap_or_default();
    format!("{}{usual}", page_text::dialog_summary(&dialog.kind, &dialog.message))
}

/// Reports dialogs that the server answered automatically.
fn report_answers(call: &Call<'_>, page: Option<&Page>, tabs: &[Tab], reply: &mut Reply) {
    let is_meant = |tab: &&Tab| call.named_tab().is_none() || page == Some(&tab.page);
    for answered in tabs.iter().filter(is_meant).flat_map(|tab| tab.page.take_answered_dialogs()) {
        let done = if answered.accepted { "accepted" } else { "dismissed" };
        let text = answered.text.map(|text| format!(" with {}", in_quotes(&page_text::one_line(&text))));
        let dialog = page_text::dialog_summary(&answered.dialog.kind, &answered.dialog.message);
        let with = text.unwrap_or_default();
        reply.add_event(format!("The {dialog} was {done}{with}, as set before."));
    }
}

/// Reports external programs that pages tried to open.
fn report_programs(call: &Call<'_>, page: Option<&Page>, tabs: &[Tab], reply: &mut Reply) {
    let is_meant = |tab: &&Tab| call.named_tab().is_none() || page == Some(&tab.page);
    for tab in tabs.iter().filter(is_meant) {
        let refuses = tab.page.context().browser().is_ok_and(|browser| browser.blocks_external_protocols());
        let then = match refuses {
            true => "; it was refused.",
            false => {
                ". The browser may ask about that in a window of its own, which takes all input of the page until a \
                person answers it or the tab goes to another site."
            }
        };
        for address in tab.page.take_external_protocol_urls() {
            let address = page_text::inline_url(&address);
            reply.add_event(format!("The page asked to open {address} in another program{then}"));
        }
    }
}

/// Returns the downloads of the call's tab, or of all tabs if the call names none.
pub(super) fn downloads(call: &Call<'_>) -> Vec<Download> {
    let mut downloads = call.workspace.downloads();
    if call.named_tab().is_some() {
        let page = call.current_page().ok();
        downloads.retain(|download| page.as_ref().is_some_and(|page| page.id() == download.page));
    }
    downloads
}

/// Reports downloads that have started or ended since the last answer.
fn report_downloads(call: &Call<'_>, reply: &mut Reply) {
    let downloads = downloads(call);
    let mut seen = call.kept.seen.lock();
    for download in downloads {
        let ended = download.state != DownloadState::InProgress;
        if !seen.set_download(download.id, ended) {
            continue;
        }
        reply.add_event(describe_download(&download.name, &download.state));
        share_download(&download.name, &download.state, reply);
    }
}

/// Adds a completed download to the files of the answer.
pub(super) fn share_download(name: &str, state: &DownloadState, reply: &mut Reply) {
    if let DownloadState::Completed { path, bytes } = state
        && let Ok(uri) = Url::from_file_path(path)
    {
        let (name, mime_type) = (name.to_owned(), resources::kind_of(name));
        reply.add_file(FileLink { uri: uri.into(), name, mime_type, size: Some(*bytes) });
    }
}

pub(super) fn describe_download(name: &str, state: &DownloadState) -> String {
    let name = page_text::line_or_json_escaping(name, &[' ', '(']);
    match state {
        DownloadState::InProgress => format!("Downloading {name} …"),
        DownloadState::Completed { path, bytes } => {
            format!("Downloaded {name} to {} ({bytes} bytes)", display_path(path))
        }
        DownloadState::Failed { reason } => format!("The download of {name} failed: {reason}"),
    }
}

/// Captures a snapshot of the page. An element that replaces one from the last snapshot keeps its ref.
pub(super) async fn capture(call: &Call<'_>, page: &Page, options: SnapshotTreeOptions) -> Result<Arc<Tree>> {
    let mut tree = page.snapshot_tree(call.context_index(), options).await?;
    let known = call.kept.seen.lock().shown(page).filter(|_| options.root.is_none()).cloned();
    let known: Vec<Arc<Tree>> = match known {
        Some(ShownPage { tree, behind, .. }) => [tree].into_iter().chain(behind.into_iter().rev()).collect(),
        None => Vec::new(),
    };
    for before in known {
        let redrawn = snapshot::replaced_elements(&before, &tree);
        if !redrawn.is_empty() {
            tree.restore_replaced_numbers(&page.transfer_refs(redrawn).await);
        }
    }
    Ok(Arc::new(tree))
}

/// Adds a snapshot to the answer, with a note about what it omits.
pub(super) fn show_snapshot(rendered: RenderedSnapshot, reply: &mut Reply) {
    if !rendered.text.trim().is_empty() {
        reply.set_snapshot(rendered.text);
    }
    if let Some(cut) = rendered.cut {
        reply.set_omission(cut);
    }
}

/// Adds a note if no content of the page is visible.
pub(super) fn report_unseen(tree: &Tree, reply: &mut Reply) {
    if tree.unseen {
        reply.add_event("Nothing on the page is visible now. The outline shows its hidden content.");
    }
}

/// Reports content that is drawn without text, such as charts, which has no lines in the outline.
pub(super) fn report_drawn(tree: &Tree, reply: &mut Reply) {
    if let Some(drawn) = tree.drawn.in_words() {
        reply.add_event(format!("Drawn without text: {drawn} (allRefs lists them)."));
    }
}

/// Reports changes without lines in the outline: selected text and, if no lines have come or gone (`alone`), drawn
/// content. Returns whether there are any.
pub(super) fn report_unlisted_changes(before: &Tree, now: &Tree, alone: bool, reply: &mut Reply) -> bool {
    let in_words = |tree: &Tree| tree.drawn.in_words().unwrap_or_else(|| "nothing".to_owned());
    let is_drawn = alone && before.drawn != now.drawn;
    if is_drawn {
        reply.add_event(format!("Drawn without text: {}; before: {}.", in_words(now), in_words(before)));
    }
    let selected = now.selected.as_ref().filter(|_| before.selected != now.selected);
    if let Some(selected) = selected {
        reply.add_event(format!("Selected: {}.", selected.in_words()));
    }
    is_drawn || selected.is_some()
}

/// Adds the page or its changes to the answer. Unless `wanted`, adds nothing if the page has not changed.
async fn show_page(call: &Call<'_>, page: &Page, before: &CallBaseline, wanted: bool, reply: &mut Reply) {
    if page.dialog().is_some() || page.is_crashed() || reply.has_snapshot() {
        return;
    }
    if reply.view() == PageDetail::Changes && page.awaits_navigation_response() {
        return reply.add_event(format!("The page could not be read: {}.", Error::AwaitsServer));
    }
    let Some(tree) = read_page(call, page, wanted, reply).await else { return };
    report_unseen(&tree, reply);
    let options = call.snapshot_options();
    let known = call.kept.seen.lock().shown(page).cloned();
    let is_same = known.as_ref().is_some_and(|known| known.tree.document == tree.document);
    let tree = match &known {
        Some(known) if is_same && tree.has_unanswered_frames() => {
            Arc::new(tree.with_unanswered_frames_of(&known.tree))
        }
        _ => tree,
    };
    let front = if is_same && reply.view() <= PageDetail::Changes { tree.foreground() } else { None };
    let is_front = front.is_some();
    let tree = front.map_or(tree, Arc::new);
    let known = match known {
        Some(known) if reply.view() <= PageDetail::Changes => known,
        known => {
            // A document of the same site mostly repeats menus, which are summarised.
            let other = known.filter(|known| known.tree.document != tree.document);
            let shown = other.map(|known| tree.with_repeated_landmarks_collapsed(&known.tree));
            show_snapshot(snapshot::render(shown.as_ref().unwrap_or(&tree), &options), reply);
            report_drawn(&tree, reply);
            return call.kept.seen.lock().set_tree(page, tree);
        }
    };
    let said = call.report.said.lock().clone();
    let held = call.report.held.lock().clone();
    let since = ComparisonBase {
        ticking: &before.ticking,
        said: &said,
        held: held.last().copied(),
        in_view: call.report.in_view.lock().clone(),
        ..ComparisonBase::new(&known.tree)
    };
    let (changes, behind) = compare(page, &known, &tree, since, is_front).await;
    // Elements that appear or disappear move their neighbours, which is not worth a report.
    let stays = !changes.whole && changes.added + changes.removed == 0;
    let has_moved = stays && report_moved(call, &held, reply);
    let is_reported = !changes.whole && report_unlisted_changes(&known.tree, &tree, stays, reply);
    if changes.whole {
        show_snapshot(
            snapshot::render(&tree.with_repeated_landmarks_collapsed(&known.tree), &options),
            reply,
        );
        report_drawn(&tree, reply);
    } else if !changes.is_empty() {
        show_snapshot(changes.render(&options), reply);
    } else if wanted && !has_moved && !is_reported {
        reply.add_event("Nothing changed in the snapshot.");
    }
    let ticks = if changes.whole { Vec::new() } else { remembered(known.ticks, &changes.ticks) };
    call.kept.seen.lock().set_shown(page, Arc::clone(&tree), behind, ticks);
}

/// Captures the page. Reports why it cannot be read if that is `wanted`.
async fn read_page(call: &Call<'_>, page: &Page, wanted: bool, reply: &mut Reply) -> Option<Arc<Tree>> {
    call.progress.set_message("reading the page");
    let limit = if wanted { SnapshotTreeOptions::default().limit } else { MEANWHILE_LIMIT };
    let read = Box::pin(capture(call, page, SnapshotTreeOptions { limit, ..SnapshotTreeOptions::default() }));
    match page.unless_hung(Some(HANG_TIMEOUT), read).await {
        Ok(tree) => Some(tree),
        Err(error) => {
            if wanted {
                reply.add_event(format!("The page could not be read: {error}."));
            }
            None
        }
    }
}

/// Reports elements that have moved, except those that the call dragged. Returns whether there were any.
fn report_moved(call: &Call<'_>, held: &[(u32, u32)], reply: &mut Reply) -> bool {
    let mut moved = std::mem::take(&mut *call.report.moved.lock());
    // Only the last of several moves of an element is reported.
    let mut reported: HashSet<u32> = held.iter().map(|(_, number)| *number).collect();
    moved.reverse();
    moved.retain(|moved| reported.insert(moved.what.number));
    moved.reverse();
    for MovedElement { what, at: (x, y) } in &moved {
        let name =
            if what.name.is_empty() { String::new() } else { format!(" {}", snapshot::quoted(&what.name)) };
        reply.add_event(format!("Moved: {}{name} [ref=e{}], now at {x},{y}.", what.role, what.number));
    }
    !moved.is_empty()
}

/// Returns the changes of a page, and the snapshots of the content that overlays cover now, newest last. `is_front`:
/// `tree` contains only what lies over the page.
async fn compare<'a>(
    page: &Page,
    known: &ShownPage,
    tree: &'a Tree,
    since: ComparisonBase<'_>,
    is_front: bool,
) -> (Changes<'a>, Vec<Arc<Tree>>) {
    let mut behind = known.behind.clone();
    if let Some(place) = behind.iter().rposition(|behind| tree.is_overlay_closed(behind, &known.tree)) {
        let covers = behind[place + 1..].iter().chain([&known.tree]).map(|cover| &**cover).collect();
        let changes =
            snapshot::diff_with_base(&ComparisonBase { old: &behind[place], covers, ..since }, tree);
        behind.truncate(place);
        return (changes, behind);
    }
    let changes = snapshot::diff_with_base(&since, tree);
    if known.tree.document != tree.document {
        return (changes, Vec::new());
    }
    let many = changes.whole || changes.removed >= MANY;
    let missing = known.tree.elements_missing_in(tree);
    if many && (is_front || page.are_mostly_behind_modal(&missing).await) {
        if behind.len() == MOST_TREES {
            behind.remove(0);
        }
        behind.push(Arc::clone(&known.tree));
        return (snapshot::diff_with_base(&ComparisonBase { covered: true, ..since }, tree), behind);
    }
    (changes, behind)
}

/// Returns the lines with changing numbers to remember: current ones first, then earlier ones.
fn remembered(before: Vec<NumericChange>, now: &[NumericChange]) -> Vec<NumericChange> {
    let is =
        |one: &NumericChange, other: &NumericChange| one.key == other.key && one.pattern == other.pattern;
    let old = before.into_iter().filter(|tick| !now.iter().any(|new| is(tick, new)));
    now.iter().cloned().chain(old).take(MOST_TICKS).collect()
}

/// Returns the announcements without those that a later one replaces: it differs only in its numbers, as in the
/// progress of a search.
fn latest(said: Vec<String>) -> Vec<String> {
    let pattern = |text: &str| text.replace(|letter: char| letter.is_ascii_digit(), "");
    let last: HashMap<_, _> = said.iter().enumerate().map(|(index, text)| (pattern(text), index)).collect();
    let is_last = |(index, text): &(usize, String)| last[&pattern(text)] == *index;
    said.into_iter().enumerate().filter(is_last).map(|(_, text)| text).collect()
}

/// Reports announcements (live regions) of the page that the answer's snapshot does not contain.
fn report_announcements(call: &Call<'_>, reply: &mut Reply) {
    for text in latest(std::mem::take(&mut *call.report.said.lock())) {
        let quoted = snapshot::quoted(&text);
        let bare = quoted.trim_matches('"');
        if !is_passing(&text) && !reply.snapshot_has(bare) && !reply.snapshot_has_words(&text) {
            reply.add_event(format!("The page said meanwhile: {quoted}"));
        }
    }
}

/// Whether a text is only a loading notice or a number.
fn is_passing(text: &str) -> bool {
    const LONGEST: usize = 24;
    let is_busy = text.trim_start().to_lowercase().starts_with("loading") && text.chars().count() <= LONGEST;
    is_busy || !text.contains(char::is_alphabetic)
}

/// Returns the HTTP status of the page's document, with its reason phrase.
fn http_status(page: &Page) -> Option<(u16, String)> {
    let response = page.document_response()?;
    let code = StatusCode::from_u16(response.status.try_into().ok()?).ok()?;
    // HTTP/2 has no reason phrase.
    let reason = Some(response.status_text).filter(|reason| !reason.is_empty());
    let reason = reason.or_else(|| code.canonical_reason().map(str::to_owned));
    Some((code.as_u16(), reason.unwrap_or_default()))
}

/// Says which document a page has opened, with the HTTP status of an error.
pub(super) fn opened(page: &Page) -> String {
    let url = page_text::inline_url(&page.url());
    match http_status(page).filter(|(code, _)| *code >= 400) {
        Some((code, reason)) => format!("Opened {url} (HTTP {code} {})", page_text::line_or_json(&reason)),
        None => format!("Opened {url}"),
    }
}

async fn page_state(page: &Page, url: String, answers: bool) -> PageState {
    let status = http_status(page);
    let crashed = page.is_crashed() && !page.is_discarded();
    if page.is_crashed() || !answers || page.dialog().is_some() {
        return PageState { url, status, crashed, ..PageState::default() };
    }
    let (title, messages) = tokio::join!(page.title(), timeout(CONSOLE_LIMIT, page.console_messages()));
    let messages = messages.ok().and_then(Result::ok).unwrap_or_default();
    let errors = || messages.iter().filter(|message| message.level == ConsoleLevel::Error);
    let console_error =
        errors().next_back().map(|message| message.text.chars().take(LONGEST_ERROR).collect());
    PageState { url, title, status, console_errors: errors().count(), console_error, crashed }
}

/// Returns the tabs with their titles. A tab that does not answer in time gets its last known title.
async fn tab_lines(tabs: Vec<Tab>) -> Vec<TabLine> {
    let mut asked = JoinSet::new();
    for Tab { index, id, page, is_active } in tabs {
        asked.spawn(async move {
            let title = timeout(TITLE_LIMIT, page.title()).await;
            let title = title.unwrap_or_else(|_| page.cached_title());
            TabLine {
                index,
                id: id.to_string(),
                title,
                url: page.attempted_url(),
                active: is_active,
                crashed: page.is_crashed() && !page.is_discarded(),
                discarded: page.is_discarded(),
                asks: page.dialog().is_some(),
            }
        });
    }
    let mut lines = asked.join_all().await;
    lines.sort_by_key(|line| line.index);
    lines
}

#[cfg(test)]
mod tests {
    use super::latest;

    #[test]
    fn of_announcements_that_differ_only_in_numbers_the_last_is_kept() {
        let said = ["1 Results", "825 Results", "Looking", "5 Results", "Looking on"].map(String::from);
        assert_eq!(latest(said.to_vec()), ["Looking", "5 Results", "Looking on"]);
        assert!(latest(Vec::new()).is_empty());
    }
}
