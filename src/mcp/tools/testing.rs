//! Tools for tests: assertions, and recorded scripts.
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::milliseconds;
use crate::Result;
use crate::browser::{Page, RecordingCallbacks};
use crate::error::{Error, quoted};
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::script::{ScriptLanguage, locator};
use crate::mcp::target;
use crate::mcp::tool::{Capability, StallPolicy, Tool, ToolEffect};
use crate::snapshot::Ref;

const USUAL_LIMIT: Duration = Duration::from_secs(5);
/// The interval between checks of a page.
const PAUSE: Duration = Duration::from_millis(50);
/// The maximum length of an expected or actual value in a message, in characters.
const LONGEST_QUOTED: usize = 300;

// The property to assert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum AssertedProperty {
    Visible,
    Hidden,
    Enabled,
    Disabled,
    Checked,
    Focused,
    Text,
    Value,
    Title,
    Url,
}

/// Assert a property of an element or the page, waiting until it holds. Fails with the actual value.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Expect {
    /// Ref or selector. Default: the page.
    pub r#ref: Option<String>,
    pub is: AssertedProperty,
    /// Substring for text; exact for value, title and url.
    pub expected: Option<String>,
    #[serde(default)]
    pub not: bool,
    /// In ms.
    #[schemars(range(min = 100, max = 600_000))]
    pub timeout: Option<f64>,
}

impl Tool for Expect {
    const NAME: &'static str = "browser_expect";
    const TITLE: &'static str = "Assert";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const CAPABILITY: Capability = Capability::Testing;
    const STALL_POLICY: StallPolicy = StallPolicy::GiveUpIfSilent;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        self.check()?;
        let page = call.acquire_page().await?;
        let limit = self.timeout.map_or(USUAL_LIMIT, milliseconds);
        let (holds, received) = match &self.r#ref {
            Some(text) => self.of_element(call, &page, text, limit).await?,
            None => self.of_page(&page, limit).await?,
        };
        let what = self.describe();
        if holds {
            reply.say(format!("As expected: {what}"));
            return Ok(());
        }
        let received = received.map(|is| format!("; it is {is}")).unwrap_or_default();
        Err(Error::NotAsExpected { what, received, waited: limit })
    }
}

impl Expect {
    fn check(&self) -> Result<()> {
        let is: &str = self.is.into();
        let wrong = |problem: String| Err(Error::InvalidArguments { problems: vec![problem] });
        let of_page =
            matches!(self.is, AssertedProperty::Text | AssertedProperty::Title | AssertedProperty::Url);
        let takes = matches!(
            self.is,
            AssertedProperty::Text
                | AssertedProperty::Value
                | AssertedProperty::Title
                | AssertedProperty::Url
        );
        match (&self.r#ref, &self.expected) {
            (None, _) if !of_page => wrong(format!("`ref` is needed for {is}")),
            (Some(_), _) if matches!(self.is, AssertedProperty::Title | AssertedProperty::Url) => {
                wrong(format!("`ref` does not go with {is}"))
            }
            (_, None) if takes => wrong(format!("`expected` is needed for {is}")),
            (_, Some(_)) if !takes => wrong(format!("`expected` does not go with {is}")),
            _ => Ok(()),
        }
    }

    fn describe(&self) -> String {
        let is: &str = self.is.into();
        let not = if self.not { "not " } else { "" };
        match &self.expected {
            // Messages do not repeat URLs.
            Some(_) if self.is == AssertedProperty::Url => format!("{not}the address that was given"),
            Some(expected) => format!("{not}{is} {}", quoted(expected, LONGEST_QUOTED)),
            None => format!("{not}{is}"),
        }
    }

    async fn of_element(
        &self,
        call: &Call<'_>,
        page: &Page,
        text: &str,
        limit: Duration,
    ) -> Result<(bool, Option<String>)> {
        let end = Instant::now() + limit;
        let absent_is_expected =
            self.is == if self.not { AssertedProperty::Visible } else { AssertedProperty::Hidden };
        while target::is_absent(call, page, text).await? {
            // An element that does not exist counts as hidden.
            if absent_is_expected {
                return Ok((true, None));
            }
            // A selector may match later; the ref of a removed element never matches again.
            if text.parse::<Ref>().is_ok() {
                break;
            }
            if Instant::now() >= end {
                return Ok((false, Some("not there".to_owned())));
            }
            sleep(PAUSE).await;
        }
        let found = target::find_element(call, page, text).await?.generate_locators().await?;
        let limit = end.saturating_duration_since(Instant::now()).max(PAUSE);
        let expected = match self.is {
            AssertedProperty::Checked => json!({ "checked": true }),
            AssertedProperty::Text => json!({ "text": self.expected, "part": true, "squeeze": true }),
            _ => json!({ "text": self.expected }),
        };
        let locator = page.main_frame().locator(&found.selector(), true)?;
        let verdict = locator.expect(self.is.into(), &expected, self.not, limit).await?;
        let received = verdict.received.as_str().map(|text| quoted(text, LONGEST_QUOTED));
        Ok((verdict.matches != self.not, received))
    }

    async fn of_page(&self, page: &Page, limit: Duration) -> Result<(bool, Option<String>)> {
        let end = Instant::now() + limit;
        let expected = self.expected.as_deref().unwrap_or_default();
        loop {
            let (is, received) = match self.is {
                AssertedProperty::Text => (page.contains_text(expected).await?, None),
                AssertedProperty::Title => {
                    let title = page.title().await;
                    (title == expected, Some(quoted(&title, LONGEST_QUOTED)))
                }
                _ => (page.url() == expected, None),
            };
            if is != self.not || Instant::now() >= end {
                return Ok((is != self.not, received));
            }
            sleep(PAUSE).await;
        }
    }
}

/// Starts recording what the person does in the tab. Stops an earlier recording.
async fn record(call: &Call<'_>, reply: &mut Reply) -> Result<()> {
    let page = call.acquire_page().await?;
    let before = call.kept.recording.lock().take();
    if let Some(before) = before {
        before.stop().await;
    }
    call.kept.script.lock().start_with_goto(call.tab_index(&page).unwrap_or_default(), &page.url());
    let (script, activity) = (Arc::clone(&call.kept.script), Arc::clone(&call.kept.activity));
    let (live, held) = (call.services.live.clone(), page.downgrade());
    let is_held = move || {
        let page = held.upgrade()?;
        live.as_ref()?.controlling_handover(&page)
    };
    let recorder = RecordingCallbacks {
        counts: Arc::new(move || activity.is_idle() || is_held().is_some()),
        on_recorded: Arc::new(move |recorded| script.lock().add_person_action(recorded.clone())),
    };
    let recording = page.record_actions(recorder).await?;
    *call.kept.recording.lock() = Some(recording);
    reply.say(
        "From now on the script says what the person does in this tab, until you stop with record: false",
    );
    Ok(())
}

async fn stop(call: &Call<'_>) -> Result<()> {
    let recording = call.kept.recording.lock().take().ok_or_else(|| Error::InvalidArguments {
        problems: vec!["`record` is false, but nothing is being recorded".to_owned()],
    })?;
    recording.stop().await;
    Ok(())
}

/// Export this session's actions as a test script, or, with ref, a locator for that element.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ExportScript {
    #[serde(default)]
    pub language: ScriptLanguage,
    /// Element whose locator to export.
    pub r#ref: Option<String>,
    /// Number of newest statements to export. Default: all.
    #[schemars(range(min = 1, max = 1000))]
    pub last: Option<usize>,
    /// Start (true) or stop recording what the person does in this tab.
    pub record: Option<bool>,
}

impl Tool for ExportScript {
    const NAME: &'static str = "browser_export_script";
    const TITLE: &'static str = "Export as a test";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const CAPABILITY: Capability = Capability::Testing;
    const FILE: Option<&'static str> = Some("py");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if self.record == Some(true) && (self.r#ref.is_some() || self.last.is_some()) {
            let problem = "`record` starts recording; use `ref` or `last` in another call";
            return Err(Error::InvalidArguments { problems: vec![problem.to_owned()] });
        }
        match self.record {
            Some(true) => return record(call, reply).await,
            Some(false) => stop(call).await?,
            None => {}
        }
        let written = match &self.r#ref {
            Some(text) => {
                let page = call.acquire_page().await?;
                let found = target::find_element(call, &page, text).await?.generate_locators().await?;
                locator(&found, self.language)
            }
            None => {
                let script = call.kept.script.lock();
                if script.is_empty() {
                    reply.say("Nothing was done in this session yet");
                    return Ok(());
                }
                match self.last {
                    Some(last) => script.last_statements(self.language, last).join("\n"),
                    None => script.to_test(self.language),
                }
            }
        };
        match call.has_output_file() {
            true => reply.say(written),
            // The script contains names from the page, which are untrusted.
            false => reply.say(page_text::fenced(&written, "script")),
        }
        Ok(())
    }
}
