//! Executes the calls that a program makes to the browser.
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::try_join_all;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::super::{milliseconds, screenshot};
use super::machine::{Deadline, Request};
use super::pages::{Pages, of};
use crate::Result;
use crate::browser::locator::{Locator, WaitForState};
use crate::browser::{
    ActionTarget, Area, Dialog, ElementAction, ElementHandle, JsValue, Match, MatchResult, NavigateOptions,
    Page, Screenshot, ScriptWorld, SnapshotTreeOptions, WaitUntil,
};
use crate::error::{Error, in_quotes};
use crate::mcp::budget::first_chars;
use crate::mcp::call::Call;
use crate::mcp::describe::capture;
use crate::mcp::page_text;
use crate::mcp::program::UrlGate;
use crate::mcp::target;
use crate::mcp::tool::Capability;
use crate::snapshot;

/// How long to wait for an element if nothing changes on the page.
const AT_REST: Duration = Duration::from_secs(2);
const EXPECT_LIMIT: Duration = Duration::from_secs(5);
const MOST_PICTURES: usize = 5;
/// The maximum number of characters of the page's outline in an error.
const MOST_NEAR: usize = 1_200;
/// The maximum number of similar or matching elements in an error.
const MOST_NEAR_LINES: usize = 8;
const NEAR_LIMIT: Duration = Duration::from_secs(2);
/// The number of first letters in which words must agree to count as similar.
const ALIKE: usize = 3;
const DIALOG_PAUSE: Duration = Duration::from_millis(20);

type Script = Arc<tokio::sync::Mutex<JoinHandle<Result<Value>>>>;

/// The state of a program, which is kept while the program waits at a dialog.
pub(super) struct State {
    pub(super) pages: Arc<Pages>,
    code: String,
    begun_at: String,
    /// The origins at which the program may act.
    allowed: tokio::sync::Mutex<HashSet<String>>,
    pictures: Mutex<Vec<Screenshot>>,
    /// Failed calls by call id: the description of the call, and its error.
    pub(super) errors: Mutex<HashMap<u32, (String, Error)>>,
    /// Results of calls by call id, to deliver once no dialog is open.
    done: Mutex<HashMap<u32, Value>>,
    /// Running scripts of `evaluate` calls, by call id.
    scripts: Mutex<HashMap<u32, Script>>,
    dialogs: Mutex<Vec<(Page, Dialog)>>,
}

impl State {
    pub(super) fn new(call: &Call<'_>, page: Page, code: String) -> Self {
        Self {
            begun_at: page_text::origin_of(&page.url()),
            pages: Arc::new(Pages::new(page, call.workspace.clone())),
            code,
            allowed: tokio::sync::Mutex::default(),
            pictures: Mutex::default(),
            errors: Mutex::default(),
            done: Mutex::default(),
            scripts: Mutex::default(),
            dialogs: Mutex::default(),
        }
    }

    pub(super) fn take_pictures(&self) -> Vec<Screenshot> {
        std::mem::take(&mut *self.pictures.lock())
    }

    /// Returns the dialog to which the argument `number` of a call refers.
    pub(super) fn dialog(&self, asked: &Value) -> Option<(Page, Dialog)> {
        let number = usize::try_from(asked["number"].as_u64()?).ok()?;
        self.dialogs.lock().get(number).cloned()
    }
}

/// Executes the calls of a program within a tool call.
pub(super) struct Host<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) state: &'a State,
    deadline: &'a Deadline,
    gate: UrlGate,
}

impl<'a> Host<'a> {
    pub(super) fn new(call: &'a Call<'a>, state: &'a State, deadline: &'a Deadline) -> Self {
        Self { call, state, deadline, gate: call.url_gate() }
    }

    /// Executes a call of the program, and returns the answer once no dialog is open.
    pub(super) async fn answer(&self, request: &Request) -> Value {
        let Request { id, method, arguments: asked } = request;
        if matches!(method.as_str(), "sleep" | "answer_dialog") {
            return self.answered(*id, method, asked, self.serve(*id, method, asked).await).await;
        }
        let known = self.state.done.lock().get(id).cloned();
        let value = match known {
            Some(value) => value,
            None => loop {
                self.until_no_dialog().await;
                match self.serve(*id, method, asked).await {
                    // A dialog stopped the call before it did anything, so the call is repeated.
                    Err(Error::DialogOpen { .. } | Error::DialogElsewhere { .. }) => {
                        sleep(DIALOG_PAUSE).await
                    }
                    served => break self.answered(*id, method, asked, served).await,
                }
            },
        };
        self.state.done.lock().insert(*id, value.clone());
        if self.until_no_dialog().await
            && let Ok(page) = self.state.pages.page(asked)
        {
            let watch = page.watch_effects(ActionTarget::Page).await;
            self.call.settle(&page, watch).await;
        }
        self.state.done.lock().remove(id);
        value
    }

    async fn answered(&self, id: u32, method: &str, asked: &Value, served: Result<Value>) -> Value {
        let reads = method.starts_with("evaluate")
            || matches!(of(&asked["action"], "do"), "attribute" | "bounding_box" | "text_content");
        let error = match served {
            // Actions return `undefined`.
            Ok(Value::Null) if !reads => return json!({}),
            Ok(value) => return json!({ "value": value }),
            Err(error) => error,
        };
        let near = match &error {
            Error::ElementNotFound { .. } | Error::NoTarget { .. } => self.near(asked).await,
            Error::NotUnique { .. } => self.several(asked).await,
            _ => None,
        };
        let what = named(method, asked);
        let hint = error.suggestion().map(|hint| format!(". Next: {hint}")).unwrap_or_default();
        let answer = json!({ "error": format!("{what}: {error}{hint}"), "code": error.code(), "id": id, "near": near });
        self.state.errors.lock().insert(id, (what, error));
        answer
    }

    async fn serve(&self, id: u32, method: &str, asked: &Value) -> Result<Value> {
        match method {
            "perform" => self.perform(asked).await,
            "sleep" => {
                sleep(milliseconds(asked["ms"].as_f64().unwrap_or_default())).await;
                Ok(Value::Null)
            }
            "expect" => self.expect(asked).await,
            "goto" | "reload" | "back" | "forward" | "set_content" | "load_state" | "wait_for_url_change" => {
                self.go(method, asked).await
            }
            "evaluate" | "evaluate_element" | "evaluate_all" | "wait_for_function" => {
                self.allow(asked).await?;
                self.evaluate(id, method, asked).await
            }
            "is_visible" | "count" | "texts" | "wait_for" => self.query_locator(method, asked).await,
            "input" => self.input(asked).await,
            "answer_dialog" => self.answer_dialog(asked).await,
            "screenshot" => self.screenshot(asked).await,
            "drag" => self.drag(asked).await,
            "title" => Ok(json!(self.state.pages.frame(asked)?.document_title().await?)),
            "content" => Ok(json!(self.state.pages.frame(asked)?.html().await?)),
            "response_body" => {
                let (page, number) =
                    (self.state.pages.page(asked)?, asked["number"].as_u64().unwrap_or_default());
                let gone =
                    || Error::Program { message: "the browser no longer keeps this response".to_owned() };
                let body = page.response_body(&page.request_entry(number).ok_or_else(gone)?).await?;
                Ok(json!(String::from_utf8_lossy(&body)))
            }
            "popup" | "new_page" | "front" | "close" => self.tab(method, asked).await,
            "snapshot" => self.outline(asked).await,
            "grant" => self.grant(asked).await,
            _ => Err(Error::Program { message: format!("{method} is not known") }),
        }
    }

    /// Asks for consent, if required, before the program acts at an origin for the first time.
    pub(super) async fn allow(&self, asked: &Value) -> Result<()> {
        let page = self.state.pages.page(asked)?;
        let mut allowed = self.state.allowed.lock().await;
        self.call.confirm_program(&page, &self.state.code, &self.state.begun_at, &mut allowed).await
    }

    /// Returns the time limit of a call: its own timeout, limited to the program's remaining time.
    pub(super) fn limit(&self, asked: &Value, default: Duration) -> Duration {
        let limit = match asked["timeout"].as_f64() {
            Some(ms) if ms > 0.0 => milliseconds(ms),
            Some(_) => Duration::MAX,
            None => default,
        };
        limit.min(self.deadline.left())
    }

    pub(super) fn locator(&self, asked: &Value, strict: bool) -> Result<Locator> {
        self.state.pages.frame(asked)?.locator_as_in_snapshot(of(asked, "selector"), strict)
    }

    /// Waits until the locator matches an element. Without a timeout, gives up once the page stops changing.
    /// Returns the time limit of the action that follows.
    pub(super) async fn found(&self, locator: &Locator, asked: &Value) -> Result<Duration> {
        let whole = self.limit(asked, self.call.settings.timeouts.navigation);
        let default = self.limit(asked, self.call.settings.timeouts.action);
        if asked["timeout"].is_number() || locator.count().await.is_ok_and(|count| count > 0) {
            return Ok(default);
        }
        let (page, begun) = (self.state.pages.page(asked)?, Instant::now());
        loop {
            let mut watch = page.watch_effects(ActionTarget::Page).await;
            match locator.wait_for(WaitForState::Attached, AT_REST).await {
                Err(Error::ElementNotFound { .. })
                    if begun.elapsed() < whole && !watch.has_no_effect().await => {}
                // A busy page may not have answered in time.
                Err(Error::ElementNotFound { .. }) if locator.count().await.is_ok_and(|count| count == 0) => {
                    return Err(Error::ElementNotFound { waited: begun.elapsed() });
                }
                // The action itself reports other errors.
                _ => return Ok(default),
            }
        }
    }

    /// Returns the element of a locator, and the time limit of an action on it.
    pub(super) async fn element(&self, asked: &Value) -> Result<(ElementHandle, Duration)> {
        let locator = self.locator(asked, true)?;
        let limit = self.found(&locator, asked).await?;
        let element = locator.wait_for(WaitForState::Attached, limit).await?;
        Ok((element.ok_or(Error::ElementNotFound { waited: limit })?, limit))
    }

    async fn query_locator(&self, method: &str, asked: &Value) -> Result<Value> {
        Ok(match method {
            "is_visible" => json!(self.locator(asked, true)?.is_visible().await?),
            "count" => json!(self.locator(asked, false)?.count().await?),
            "texts" => self.locator(asked, false)?.all_texts(asked["drawn"] == true).await?,
            _ => {
                let presence = match of(asked, "state") {
                    "attached" => WaitForState::Attached,
                    "detached" => WaitForState::Detached,
                    "hidden" => WaitForState::Hidden,
                    _ => WaitForState::Visible,
                };
                let limit = self.limit(asked, self.call.settings.timeouts.action);
                self.locator(asked, true)?.wait_for(presence, limit).await?;
                Value::Null
            }
        })
    }

    async fn expect(&self, asked: &Value) -> Result<Value> {
        let (what, is_not, limit) =
            (of(asked, "what"), asked["not"] == true, self.limit(asked, EXPECT_LIMIT));
        let verdict = self.locator(asked, true)?.expect(what, &asked["expected"], is_not, limit).await?;
        if verdict.matches != is_not {
            return Ok(Value::Null);
        }
        if verdict.missing {
            return Err(Error::ElementNotFound { waited: limit });
        }
        let (expected, received) =
            (page_text::json_line(&asked["expected"]), page_text::json_line(&verdict.received));
        Err(Error::Program { message: format!("expected {expected}, received {received} after {limit:?}") })
    }

    async fn go(&self, method: &str, asked: &Value) -> Result<Value> {
        let until = match of(asked, if method == "load_state" { "state" } else { "until" }) {
            "commit" => WaitUntil::Commit,
            "domcontentloaded" => WaitUntil::DomContentLoaded,
            "networkidle" => WaitUntil::NetworkIdle,
            _ => WaitUntil::Load,
        };
        let limit = self.limit(asked, self.call.settings.timeouts.navigation);
        let options = NavigateOptions { until, limit, referrer: None };
        let (page, frame) = (self.state.pages.page(asked)?, self.state.pages.frame(asked)?);
        match method {
            "wait_for_url_change" => {
                return Ok(json!(frame.wait_for_url_change(of(asked, "url"), limit).await?));
            }
            "load_state" => {
                frame.wait_for_lifecycle(until, limit).await?;
                return Ok(Value::Null);
            }
            "set_content" => self.allow(asked).await?,
            _ => {}
        }
        let going = async {
            match method {
                "goto" => {
                    let url = self.gate.admit(of(asked, "url")).await?;
                    page.goto(url.as_str(), &options).await.map(drop)
                }
                "reload" => page.reload(&options).await.map(drop),
                "back" => page.go_back(&options).await.map(drop),
                "forward" => page.go_forward(&options).await.map(drop),
                _ => frame.set_content(of(asked, "html"), &options).await,
            }
        };
        self.call.act_and_settle(&page, ActionTarget::Page, Box::pin(going)).await?;
        let response =
            page.document_response().map(|response| json!({ "status": response.status, "url": page.url() }));
        Ok(response.filter(|_| method != "set_content").unwrap_or_default())
    }

    /// Evaluates a script in the page's main world. It keeps running while the program waits at a dialog.
    async fn evaluate(&self, id: u32, method: &str, asked: &Value) -> Result<Value> {
        let (page, frame) = (self.state.pages.page(asked)?, self.state.pages.frame(asked)?);
        let script = of(asked, "script").to_owned();
        let limit = self.limit(asked, self.call.settings.timeouts.navigation);
        if method == "wait_for_function" {
            let scope = ScriptWorld::choose_world(&script);
            frame.wait_for_function(&script, &JsValue::Undefined, scope, None, limit).await?;
            return Ok(json!(true));
        }
        let mut watch = page.watch_effects(ActionTarget::Page).await;
        let known = self.state.scripts.lock().get(&id).cloned();
        let running = match known {
            Some(running) => running,
            None => {
                let (elements, script) = match method {
                    "evaluate_element" => (vec![self.element(asked).await?.0], script),
                    "evaluate_all" => {
                        let elements = self.locator(asked, false)?.all().await?;
                        (elements, format!("(...elements) => ({script})(elements)"))
                    }
                    _ => (Vec::new(), script),
                };
                let frame = elements.first().map_or(frame, |element| element.frame().clone());
                let given = elements.iter().map(|element| {
                    element.frame().node_argument(element.world(), element.handle(), ScriptWorld::Main)
                });
                let given = try_join_all(given).await?;
                let work = async move {
                    let (arguments, _held): (Vec<_>, Vec<_>) = given.into_iter().unzip();
                    frame.evaluate_despite_dialogs(limit, &script, arguments, ScriptWorld::Main).await
                };
                let running: Script = Arc::new(tokio::sync::Mutex::new(tokio::spawn(work)));
                self.state.scripts.lock().insert(id, Arc::clone(&running));
                running
            }
        };
        let ended = (&mut *running.lock().await).await;
        self.state.scripts.lock().remove(&id);
        if !watch.has_no_effect().await {
            self.call.settle(&page, watch).await;
        }
        ended.unwrap_or(Err(Error::Broken))
    }

    async fn screenshot(&self, asked: &Value) -> Result<Value> {
        if self.state.pictures.lock().len() >= MOST_PICTURES {
            return Err(Error::Program {
                message: format!("a program takes at most {MOST_PICTURES} pictures"),
            });
        }
        let page = self.state.pages.page(asked)?;
        let area = match asked["selector"].is_string() {
            true => {
                let (element, limit) = self.element(asked).await?;
                element.perform(&ElementAction::ScrollIntoView, limit).await?;
                let area = element.perform(&ElementAction::BoundingBox, limit).await?;
                let side = |name: &str| area[name].as_f64().unwrap_or_default();
                Area::Part([side("x"), side("y"), side("width"), side("height")])
            }
            false if asked["full"] == true => Area::FullPage,
            false => Area::Viewport,
        };
        let picture = screenshot::shown(&page, area, None).await?;
        let mut pictures = self.state.pictures.lock();
        pictures.push(picture);
        Ok(json!(format!("picture {} of this answer", pictures.len())))
    }

    async fn tab(&self, method: &str, asked: &Value) -> Result<Value> {
        let pages = &self.state.pages;
        match method {
            "front" => pages.page(asked)?.bring_to_front().await?,
            "close" => pages.page(asked)?.close().await?,
            "new_page" => {
                let page = pages.page(asked)?.context().new_page().await?;
                return Ok(json!(pages.number(&page)));
            }
            _ => {
                let opener = pages.page(asked)?;
                let before = pages.open();
                let limit = self.limit(asked, self.call.settings.timeouts.navigation);
                let mut changes = opener.context().changes();
                let coming = async {
                    loop {
                        let is_new = |page: &Page| {
                            !before.contains(page)
                                && (asked["any"] == true || page.opener().as_ref() == Some(&opener))
                        };
                        if let Some(page) = pages.open().into_iter().find(is_new) {
                            return page;
                        }
                        let _ = timeout(Duration::from_millis(250), changes.changed()).await;
                    }
                };
                let what = "a new tab".to_owned();
                let page = timeout(limit, coming).await;
                let page = page.map_err(|_| Error::WaitRanOut { what, waited: limit })?;
                let _ = page.main_frame().wait_for_lifecycle(WaitUntil::Load, limit).await;
                return Ok(json!(pages.number(&page)));
            }
        }
        Ok(Value::Null)
    }

    /// Grants permissions. Fails unless the server was started with `--caps storage`.
    async fn grant(&self, asked: &Value) -> Result<Value> {
        if !self.call.enables(Capability::Storage) {
            let message = "permissions need a server that was started with --caps storage".to_owned();
            return Err(Error::Program { message });
        }
        let names = asked["permissions"].as_array().into_iter().flatten();
        let names: Vec<_> = names.filter_map(Value::as_str).map(str::to_owned).collect();
        self.state.pages.page(asked)?.context().grant_permissions(&names, None).await?;
        Ok(Value::Null)
    }

    /// Returns the outline of the page or of an element, with refs.
    async fn outline(&self, asked: &Value) -> Result<Value> {
        let root = match asked["selector"].is_string() {
            true => {
                let (element, _) = self.element(asked).await?;
                Some((element.frame().number(), element.number().await?))
            }
            false => None,
        };
        let options = SnapshotTreeOptions { root, ..SnapshotTreeOptions::default() };
        let tree = capture(self.call, &self.state.pages.page(asked)?, options).await?;
        let rendered = snapshot::render(&tree, &self.call.snapshot_options());
        Ok(json!(match rendered.cut {
            Some(cut) => format!("{}\n{cut}", rendered.text),
            None => rendered.text,
        }))
    }

    /// Returns the outline's lines that resemble a selector without a match, or else its beginning.
    async fn near(&self, asked: &Value) -> Option<String> {
        let options = SnapshotTreeOptions { limit: NEAR_LIMIT, ..SnapshotTreeOptions::default() };
        let tree = capture(self.call, &self.state.pages.page(asked).ok()?, options).await.ok()?;
        let outline = snapshot::render(&tree, &self.call.snapshot_options()).text;
        let near = alike(&outline, of(asked, "selector"));
        let shown = if near.is_empty() { outline } else { near.join("\n") };
        Some(match first_chars(&shown, MOST_NEAR) {
            all if all.len() == shown.len() => shown,
            cut => format!("{cut}…"),
        })
    }

    /// Lists the matches of an ambiguous selector, with refs.
    async fn several(&self, asked: &Value) -> Option<String> {
        let page = self.state.pages.page(asked).ok()?;
        let matched = page.find_matches(of(asked, "selector"), Duration::ZERO).await.ok()?;
        let MatchResult::Several(_, several) = matched else { return None };
        let line = |found: &Match| {
            let reference = target::element_ref(self.call, &page, &found.frame, found.number);
            format!("{} [ref={reference}]", target::words(&found.role, &found.name))
        };
        Some(several.iter().take(MOST_NEAR_LINES).map(line).collect::<Vec<_>>().join("\n"))
    }

    /// Waits until no page shows a dialog. Returns whether a page did.
    async fn until_no_dialog(&self) -> bool {
        let is_open = || self.state.pages.open().iter().any(|page| page.dialog().is_some());
        let was_open = is_open();
        while is_open() {
            sleep(DIALOG_PAUSE).await;
        }
        was_open
    }

    /// Whether the dialog to which a call refers is still open.
    pub(super) fn is_open(&self, asked: &Value) -> bool {
        self.state.dialog(asked).is_some_and(|(page, dialog)| page.dialog().as_ref() == Some(&dialog))
    }

    /// Returns the dialogs that have opened since the last call of this function.
    pub(super) fn new_dialogs(&self) -> Vec<Value> {
        let mut known = self.state.dialogs.lock();
        let mut new = Vec::new();
        for page in self.state.pages.open() {
            let Some(dialog) = page.dialog() else { continue };
            if known.iter().any(|(_, one)| *one == dialog) {
                continue;
            }
            new.push(json!({
                "page": self.state.pages.number(&page), "type": dialog.kind, "message": dialog.message,
                "defaultValue": dialog.default_prompt, "number": known.len(),
            }));
            known.push((page, dialog));
        }
        new
    }

    async fn answer_dialog(&self, asked: &Value) -> Result<Value> {
        let (page, dialog) = self.state.dialog(asked).ok_or(Error::NoDialog)?;
        if !self.is_open(asked) {
            return Err(Error::NoDialog);
        }
        let accept = asked["accept"] == true;
        if accept {
            self.allow(asked).await?;
        }
        let text = asked["text"].as_str().map(str::to_owned).or_else(|| dialog.default_text());
        page.answer_dialog(accept, text.filter(|_| accept)).await?;
        let how = if accept { "accepted" } else { "dismissed" };
        self.call.add_event(format!(
            "The {} was {how}.",
            page_text::dialog_summary(&dialog.kind, &dialog.message)
        ));
        Ok(Value::Null)
    }
}

/// Returns the lines with words similar to a selector's quoted texts, or else to any of its words.
fn alike<'a>(outline: &'a str, selector: &str) -> Vec<&'a str> {
    let words = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        let words = text.split(|letter: char| !letter.is_alphanumeric()).map(str::to_owned);
        words
            .filter(|word| {
                word.chars().count() >= ALIKE && !matches!(word.as_str(), "internal" | "nth" | "has")
            })
            .collect()
    };
    let quoted: String = selector.split('"').skip(1).step_by(2).collect::<Vec<_>>().join(" ");
    for wanted in [words(&quoted), words(selector)] {
        let begins: Vec<_> = wanted.iter().map(|word| first_chars(word, ALIKE)).collect();
        let is_alike =
            |line: &&str| words(line).iter().any(|word| begins.contains(&first_chars(word, ALIKE)));
        let near: Vec<_> = outline.lines().filter(is_alike).take(MOST_NEAR_LINES).map(str::trim).collect();
        if !near.is_empty() {
            return near;
        }
    }
    Vec::new()
}

/// Describes a call for an error message, such as `click of "#save"`.
fn named(method: &str, asked: &Value) -> String {
    let what = match method {
        "perform" => of(&asked["action"], "do"),
        "expect" => of(asked, "name"),
        "input" => of(asked, "what"),
        other => other,
    };
    let selector = page_text::one_line(of(asked, "selector"));
    match selector.is_empty() {
        true => what.to_owned(),
        false => format!("{what} of {}", in_quotes(&selector)),
    }
}

#[cfg(test)]
mod tests {
    use super::alike;

    #[test]
    fn lines_are_alike_by_the_beginnings_of_their_words() {
        let outline = "- button \"Save\" [ref=e1]\n  - button \"Cancel\" [ref=e2]\n- link \"Saved\" [ref=e3]";
        let near = alike(outline, "internal:role=button[name=\"Saving\"i]");
        assert_eq!(near, ["- button \"Save\" [ref=e1]", "- link \"Saved\" [ref=e3]"]);
        assert_eq!(alike(outline, "internal:role=button[name=\"Send\"i]").len(), 2);
        assert!(alike(outline, "#nothing").is_empty());
    }
}
