//! Developer tools: web vitals, an accessibility audit, and the CSS rules of an element.
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::browser::elements::element::ElementHandle;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::raw::RawSession;
use crate::browser::objects::world::ScriptWorld;
use crate::error::{Error, Result};

const VITALS: &str = include_str!("audit/vitals.js");
const AUDIT: &str = include_str!("audit/audit.js");
pub(super) const RAW_LIMIT: Duration = Duration::from_secs(20);
/// The maximum number of frames that are audited.
const MOST_FRAMES: usize = 50;

/// Web vitals of a page. Times are in milliseconds since the navigation began.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Vitals {
    pub ttfb: Option<f64>,
    pub load: Option<f64>,
    pub fcp: Option<f64>,
    pub lcp: Option<f64>,
    /// The tag, id and classes of the LCP element.
    pub lcp_element: Option<String>,
    pub lcp_url: Option<String>,
    pub cls: Option<f64>,
    /// The tag, id and classes of an element whose shift contributed to `cls`.
    pub shifted: Option<String>,
    pub inp: Option<f64>,
    pub interactions: u32,
    pub long_tasks: Option<u32>,
    /// The total blocking time: the parts of long tasks beyond 50 ms.
    pub blocked: f64,
    pub requests: u32,
    pub bytes: f64,
}

/// An accessibility problem.
#[derive(Debug, Clone, Deserialize)]
pub struct AccessibilityViolation {
    /// The name of the violated rule, such as `contrast`.
    pub rule: String,
    /// The number of the element in its frame, as in refs; `None` for the whole document.
    #[serde(rename = "ref")]
    pub number: Option<u32>,
    #[serde(skip)]
    pub frame: u32,
    pub tag: String,
    pub what: String,
}

/// The CSS of an element.
#[derive(Debug, Clone, Default)]
pub struct Styles {
    /// The page's rules that match, highest precedence first: selector with source, and declarations.
    pub rules: Vec<(String, String)>,
    /// The computed values of the properties in those rules.
    pub computed: Vec<(String, String)>,
}

impl Page {
    /// Measures web vitals.
    pub async fn vitals(&self) -> Result<Vitals> {
        let vitals = self.main_frame().evaluate(VITALS, Vec::new(), ScriptWorld::Isolated).await?;
        serde_json::from_value(vitals)
            .map_err(|error| Error::Unreadable { method: "the vitals", reason: error.to_string() })
    }

    /// Finds accessibility problems in the page and its frames. Also returns how many elements were checked.
    pub async fn audit_accessibility(&self) -> Result<(Vec<AccessibilityViolation>, usize)> {
        #[derive(Deserialize)]
        struct Audited {
            found: Vec<AccessibilityViolation>,
            looked: usize,
        }
        let (mut all, mut looked) = (Vec::new(), 0);
        for frame in self.frames().into_iter().take(MOST_FRAMES) {
            let answer = async { frame.utility_world().await?.call_apart::<Audited>(AUDIT).await };
            let answer = match answer.await {
                Ok(answer) => answer,
                // Skip a child frame that fails, for example because it was removed.
                Err(error) if frame.parent().is_none() => return Err(error),
                Err(_) => continue,
            };
            looked += answer.looked;
            let number = frame.number();
            frame.set_last_ref(answer.found.iter().filter_map(|finding| finding.number).max().unwrap_or(0));
            all.extend(
                answer.found.into_iter().map(|finding| AccessibilityViolation { frame: number, ..finding }),
            );
        }
        Ok((all, looked))
    }
}

impl Frame {
    /// Opens an additional CDP session to the target that contains this frame.
    pub(super) async fn attach_raw(&self) -> Result<RawSession> {
        let mut frame = self.clone();
        while let Some(parent) = frame.parent().cloned()
            && parent.session().id() == frame.session().id()
        {
            frame = parent;
        }
        self.page()?.context().attach_raw(&frame).await
    }
}

impl ElementHandle {
    /// Returns the page's CSS rules that match the element, and the computed values.
    pub async fn styles(&self) -> Result<Styles> {
        let node = self.handle().describe().await?.backend_node_id;
        let session = self.frame().attach_raw().await?;
        let styles = styles(&session, node).await;
        let _ = session.detach().await;
        styles
    }
}

async fn styles(session: &RawSession, backend_node: i64) -> Result<Styles> {
    let sheets = Arc::<Mutex<HashMap<String, String>>>::default();
    let received = Arc::clone(&sheets);
    session.forward_events(Arc::new(move |method, message| {
        if method == "CSS.styleSheetAdded"
            && let Ok(event) = serde_json::from_slice::<Value>(message)
        {
            let header = event.get("params").unwrap_or(&event)["header"].clone();
            let text = |name: &str| header[name].as_str().unwrap_or_default().to_owned();
            received.lock().insert(text("styleSheetId"), text("sourceURL"));
        }
    }));
    let send = async |method: &str, parameters: Value| session.send(method, &parameters, RAW_LIMIT).await;
    send("DOM.enable", json!({})).await?;
    send("CSS.enable", json!({})).await?;
    send("DOM.getDocument", json!({ "depth": 0 })).await?;
    let nodes =
        send("DOM.pushNodesByBackendIdsToFrontend", json!({ "backendNodeIds": [backend_node] })).await?;
    let node = json!({ "nodeId": nodes["nodeIds"][0] });
    let matched = send("CSS.getMatchedStylesForNode", node.clone()).await?;
    let computed = send("CSS.getComputedStyleForNode", node).await?;
    let mut styles = Styles::default();
    let mut set = Vec::new();
    let mut add = |place: String, style: &Value| {
        let mut words = Vec::new();
        for property in style["cssProperties"].as_array().into_iter().flatten() {
            let (Some(name), Some(value)) = (property["name"].as_str(), property["value"].as_str()) else {
                continue;
            };
            // Skip longhands that the browser derived from a shorthand. They have no range in the source.
            if property["disabled"] == true
                || (style.get("range").is_some() && property.get("range").is_none())
            {
                continue;
            }
            let important = if property["important"] == true { " !important" } else { "" };
            words.push(format!("{name}: {}{important}", value.trim_end_matches("!important").trim()));
            set.push(name.to_owned());
        }
        if !words.is_empty() {
            styles.rules.push((place, words.join("; ")));
        }
    };
    add("style attribute".to_owned(), &matched["inlineStyle"]);
    let sheets = sheets.lock();
    // The browser lists rules with the lowest precedence first.
    for rule in matched["matchedCSSRules"].as_array().into_iter().flatten().rev() {
        let rule = &rule["rule"];
        if rule["origin"] == "user-agent" {
            continue;
        }
        let selector = rule["selectorList"]["text"].as_str().unwrap_or_default();
        let sheet = rule["styleSheetId"].as_str().and_then(|id| sheets.get(id)).map_or("", String::as_str);
        let sheet = sheet.rsplit('/').next().unwrap_or_default();
        let line = rule["style"]["range"]["startLine"].as_u64().map(|line| format!(":{}", line + 1));
        let mut media = String::new();
        for text in rule["media"].as_array().into_iter().flatten().filter_map(|media| media["text"].as_str())
        {
            media.extend(["@media ", text, " "]);
        }
        let sheet = if sheet.is_empty() { "the document" } else { sheet };
        add(format!("{media}{selector} ({sheet}{})", line.unwrap_or_default()), &rule["style"]);
    }
    drop(sheets);
    let always = ["display", "position", "width", "height", "color", "background-color", "font-size"];
    let is_set = |name: &str| {
        always.contains(&name) || set.iter().any(|set| name == set || name.starts_with(&format!("{set}-")))
    };
    for property in computed["computedStyle"].as_array().into_iter().flatten() {
        if let (Some(name), Some(value)) = (property["name"].as_str(), property["value"].as_str())
            && is_set(name)
        {
            styles.computed.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(styles)
}
